/** What a worker does differently where its job runs on a device: a GPU's driver takes address space, files and programs that no other run
 *  needs. */
#ifndef SCREE_SERVER_WORKER_DEVICE_JOB_H
#define SCREE_SERVER_WORKER_DEVICE_JOB_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the scene of a job directory names a device other than the processor. */
bool device_job(const char *directory);

/** Bytes of memory that a process of such a job may write to (RLIMIT_DATA), from the limit on the address space of others: drivers reserve
 *  address space far beyond what they use, pocl 1.5 GB, CUDA all memory of the machine. 0: none */
uint64_t device_job_memory(uint64_t memory_limit);

/** Has compilers of drivers keep what they make in the directory, until device_job_clean removes it. */
void device_job_prepare(const char *directory);
void device_job_clean(const char *directory);

/** Writes which devices this machine has: a device_list without openers, for a reader of the same build. @return the process's exit code */
int device_job_list(int descriptor);

#endif
