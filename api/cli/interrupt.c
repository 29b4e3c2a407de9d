/* The one mutable global of the command line: a signal handler has no other way to say that it ran. */
#include "api/cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t signal_came;

static void note(int number)
{
  (void)number;
  signal_came = 1;
}

void interrupt_catch(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = (int)SA_RESETHAND; /* the second one does what it always does; and no SA_RESTART: sleeps end */
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupt_came(void)
{
  return signal_came != 0;
}

void interrupt_sleep(double seconds)
{
  if (interrupt_came()) return;
  struct timespec span = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&span, NULL);
}

double interrupt_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
