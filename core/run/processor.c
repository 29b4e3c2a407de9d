/* Names the processor family. */
#include "run/processor.h"

#include <stdio.h>

#if defined(__x86_64__)

void processor_family(char *text, size_t capacity)
{
  snprintf(text, capacity, "x86_64%s%s%s%s", __builtin_cpu_supports("avx") ? " avx" : "", __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx2") ? " avx2" : "", __builtin_cpu_supports("avx512f") ? " avx512f" : "");
}

#else

#include <sys/utsname.h>

void processor_family(char *text, size_t capacity)
{
  struct utsname about;
  snprintf(text, capacity, "%s", uname(&about) == 0 ? about.machine : "unknown");
}

#endif
