/** Attempts as processes of this machine: executor.h's first implementation. Handles are "local:PID". */
#ifndef SCREE_SERVER_EXECUTOR_LOCAL_H
#define SCREE_SERVER_EXECUTOR_LOCAL_H

#include "server/executor/executor.h"

/** @param capacity what all attempts together may take @return NULL without memory */
executor *executor_local_create(const executor_capacity *capacity);

#endif
