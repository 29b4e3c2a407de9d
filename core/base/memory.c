/* Aligned, zeroed arrays with overflow-safe sizes. */
#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { cache_line = 64, untouched_from = 1 << 20 };

/* Gives the pages that lie wholly within the array back to the kernel, which hands out zeroed ones as they are touched: memory of the
 * allocator is private and anonymous, whether fresh or used before. Zeroes what is left by hand; all of it where the kernel refuses (locked
 * memory). */
static void zero_untouched(char *array, size_t bytes)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), head = (page - (uintptr_t)array % page) % page;
  size_t whole = (bytes - head) / page * page;
  if (madvise(array + head, whole, MADV_DONTNEED) != 0) {
    memset(array, 0, bytes);
    return;
  }
  memset(array, 0, head);
  memset(array + head + whole, 0, bytes - head - whole);
}

bool mem_multiply(size_t count, size_t size, size_t *bytes)
{
  return !__builtin_mul_overflow(count, size, bytes);
}

void *mem_array(size_t count, size_t size)
{
  size_t bytes;
  if (!mem_multiply(count, size, &bytes) || bytes > SIZE_MAX - cache_line) return NULL;
  bytes = bytes == 0 ? cache_line : (bytes + cache_line - 1) / cache_line * cache_line;
  void *array = aligned_alloc(cache_line, bytes);
  if (!array) return NULL;
  if (bytes >= untouched_from)
    zero_untouched(array, bytes);
  else
    memset(array, 0, bytes);
  return array;
}

bool mem_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
  if (needed <= *capacity) return true;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  while (wanted < needed)
    if (__builtin_mul_overflow(wanted, (size_t)2, &wanted)) return false;
  void *grown = mem_array(wanted, size), *old;
  if (!grown) return false;
  memcpy(&old, array, sizeof old); /* the caller's pointer has its own type: to read or set it as a void * would be undefined */
  if (old) memcpy(grown, old, *capacity * size);
  mem_free(old);
  memcpy(array, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}

scr_status mem_allocate(void *array, size_t count, size_t size, const char *what, scr_error *error)
{
  void *made = mem_array(count, size);
  memcpy(array, &made, sizeof made);
  return made ? SCR_OK : scr_fail_memory(error, what, count * size);
}

scr_status mem_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what, scr_error *error)
{
  return mem_grow(array, capacity, needed, size) ? SCR_OK : scr_fail_memory(error, what, needed * size);
}

void mem_free(void *pointer)
{
  free(pointer);
}

void mem_return_large(void)
{
  mallopt(M_MMAP_THRESHOLD, untouched_from);
}
