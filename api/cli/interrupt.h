/** Ctrl-C and SIGTERM as a question to ask, so that a command can end in good order. */
#ifndef SCREE_API_CLI_INTERRUPT_H
#define SCREE_API_CLI_INTERRUPT_H

#include <stdbool.h>

/** From now on the first SIGINT or SIGTERM is only noted; a second one ends the program at once. */
void interrupt_catch(void);

/** Whether one has come. */
bool interrupt_came(void);

/** Sleeps, but not on after an interrupt. seconds: s, >= 0 */
void interrupt_sleep(double seconds);

/** Seconds of a clock that never jumps. */
double interrupt_clock(void);

#endif
