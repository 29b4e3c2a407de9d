/** How much memory the processes of a group hold. */
#ifndef SCREE_API_CLI_DRAWING_PROCESS_MEMORY_H
#define SCREE_API_CLI_DRAWING_PROCESS_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

/** Bytes that the processes of a group hold in memory, without what is shared with files or others; 0 where /proc does not say. */
size_t process_group_memory(pid_t group);

#endif
