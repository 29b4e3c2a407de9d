/* Names the processor family. */
#include "run/processor.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>

/* The twelve letters lie in EBX, EDX, ECX (Intel SDM vol. 2A, CPUID leaf 0). */
void processor_vendor(char *text, size_t capacity)
{
  unsigned greatest = 0, b = 0, c = 0, d = 0;
  char letters[13] = "unknown";
  if (__get_cpuid(0, &greatest, &b, &c, &d)) {
    memcpy(letters, &b, 4);
    memcpy(letters + 4, &d, 4);
    memcpy(letters + 8, &c, 4);
    letters[12] = '\0';
  }
  for (char *at = letters; *at; at++)
    if (*at < ' ' || *at > '~') *at = '?';
  snprintf(text, capacity, "%s", letters);
}

void processor_family(char *text, size_t capacity)
{
  snprintf(text, capacity, "x86_64%s%s%s%s", __builtin_cpu_supports("avx") ? " avx" : "", __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx2") ? " avx2" : "", __builtin_cpu_supports("avx512f") ? " avx512f" : "");
}

#else

#include <sys/utsname.h>

void processor_vendor(char *text, size_t capacity)
{
  snprintf(text, capacity, "unknown");
}

void processor_family(char *text, size_t capacity)
{
  struct utsname about;
  snprintf(text, capacity, "%s", uname(&about) == 0 ? about.machine : "unknown");
}

#endif
