/** Taking from a worker what a run does not need: the network, other programs, and all files but those of its job. */
#ifndef SCREE_SERVER_WORKER_CONFINE_H
#define SCREE_SERVER_WORKER_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/** From now on this process, and all it starts, can read and write below `directory` only (NULL: nowhere), besides reading what the C
 *  library and the processor say of themselves, and the files `names` (with commas between them; "": none, NULL: all) of the directory
 *  `assets` (NULL: none); can open no socket, start no program, and look into no other process. Open descriptors stay as they are. Needs
 *  PR_SET_NO_NEW_PRIVS set before, and no second thread yet.
 *  @param on_device a GPU's driver is to be loaded: the system's libraries, programs and devices stay within reach, for drivers compile
 *  kernels; no other files, and no socket
 *  @return false: the kernel lacks a part of it; `left` [capacity] says which, and the rest holds */
bool confine(const char *directory, const char *assets, const char *names, bool on_device, char *left, size_t capacity);

#endif
