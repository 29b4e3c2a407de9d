#include "tests/support/failing_memory.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
bool failing_memory_works(void)
{
  return false;
}
void failing_memory_begin(size_t allowed)
{
  (void)allowed;
}
long failing_memory_end(void)
{
  return 0;
}
size_t failing_memory_left(void)
{
  return 0;
}
void failing_memory_pause(bool pause)
{
  (void)pause;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

static bool failing_memory_armed, failing_memory_paused;
static size_t failing_memory_allowance;
static long failing_memory_live;

bool failing_memory_works(void)
{
  return true;
}

void failing_memory_begin(size_t allowed)
{
  failing_memory_allowance = allowed;
  failing_memory_live = 0;
  failing_memory_armed = true;
}

long failing_memory_end(void)
{
  failing_memory_armed = false;
  return failing_memory_live;
}

size_t failing_memory_left(void)
{
  return failing_memory_allowance;
}

void failing_memory_pause(bool pause)
{
  failing_memory_paused = pause;
}

static bool failing_memory_granted(void)
{
  if (!failing_memory_armed || failing_memory_paused) return true;
  if (failing_memory_allowance == 0) return false;
  failing_memory_allowance--;
  return true;
}

static void *failing_memory_counted(void *pointer)
{
  if (failing_memory_armed && !failing_memory_paused && pointer) failing_memory_live++;
  return pointer;
}

void *malloc(size_t size)
{
  return failing_memory_granted() ? failing_memory_counted(__libc_malloc(size)) : NULL;
}

void *calloc(size_t count, size_t size)
{
  return failing_memory_granted() ? failing_memory_counted(__libc_calloc(count, size)) : NULL;
}

void *realloc(void *pointer, size_t size)
{
  if (!failing_memory_granted()) return NULL;
  void *grown = __libc_realloc(pointer, size);
  return pointer ? grown : failing_memory_counted(grown);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return failing_memory_granted() ? failing_memory_counted(__libc_memalign(alignment, size)) : NULL;
}

/* Always granted: OpenMP's runtime takes its teams from here, and ends the program when it gets none. */
void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
  return failing_memory_counted(__libc_memalign(alignment, size));
}

void free(void *pointer)
{
  if (failing_memory_armed && !failing_memory_paused && pointer) failing_memory_live--;
  __libc_free(pointer);
}
#endif
