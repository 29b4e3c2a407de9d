/** An actor: a stand-in for scree-worker that plays the part its scene's name asks for, so that a lab can be tested against every way a
 *  worker can end, at a chosen moment. The test program is its own actor: its main() begins with ACTOR_MAIN.
 *
 *  | name          | part                                                                                     |
 *  |---------------|------------------------------------------------------------------------------------------|
 *  | succeed, fail | beats a few times, writes a recording with that verdict, ends                             |
 *  | beat          | beats until asked to stop or cancel, or left alone                                        |
 *  | beat-once     | the same at the first attempt; succeeds at the next                                       |
 *  | deaf          | beats for ever and minds nothing but SIGKILL                                              |
 *  | hang          | beats once and stops itself (SIGSTOP)                                                     |
 *  | die           | beats, writes a line to its log and kills itself                                          |
 *  | die-once      | the same at the first attempt; succeeds at the next                                       |
 *  | last-gasp     | finishes its recording as succeeded and kills itself before it can end                    |
 *  | liar          | ends as if it had succeeded, without a recording                                          |
 *  | refuse        | says that its input is damaged                                                            |
 *  | build         | gives signs of life for five seconds, without a heartbeat, as while building; succeeds       |
 *  | doubt         | succeeds with a doubt                                                                     |
 *  | disk-full     | says that the disk is full at the first attempt; succeeds at the next                     |
 *  | limit         | says that a file reached its limit                                                        |
 *
 *  Like the real one it holds a lock on its directory; one that finds it held leaves a file `met-another` and ends as WORKER_BUSY. */
#ifndef SCREE_TESTS_SUPPORT_ACTOR_H
#define SCREE_TESTS_SUPPORT_ACTOR_H

#include <string.h>

#include "server/lab/lab.h"
#include "server/task/task.h"
#include "server/worker/control.h"
#include "server/worker/device_job.h"

/** Plays; never returns. Tasks (server/task/task.h) it does as the real one, and lists devices. */
_Noreturn void actor_play(const char *directory);

#define ACTOR_MAIN(argc, argv)                                                                                                             \
  if ((argc) > 2 && strcmp((argv)[1], "--directory") == 0) actor_play((argv)[2]);                                                          \
  if ((argc) > 2 && strcmp((argv)[1], "--tasks") == 0) return task_serve(CONTROL_FD, (argv)[2]);                                           \
  if ((argc) > 1 && strcmp((argv)[1], "--devices") == 0) return device_job_list(CONTROL_FD)

/** A lab's configuration with this program as the worker. @param data borrowed */
lab_config actor_config(const char *data);

/** A small valid scene of that name, in a new string. */
char *actor_scene(const char *name);

#endif
