/** The two clocks: wall time for what people read, monotonic time for deadlines. Milliseconds. */
#ifndef SCREE_SERVER_CLOCK_H
#define SCREE_SERVER_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read_ms(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Since 1970 UTC; may jump. */
static inline int64_t clock_wall_ms(void)
{
  return clock_read_ms(CLOCK_REALTIME);
}

/** Since some moment in the past; never jumps. */
static inline int64_t clock_monotonic_ms(void)
{
  return clock_read_ms(CLOCK_MONOTONIC);
}

#endif
