/** What the machine's memory gives a kernel that only streams: the measure for kernels that should. */
#ifndef SCREE_TESTS_BANDWIDTH_H
#define SCREE_TESTS_BANDWIDTH_H

/** Wall-clock time, s. */
double seconds_now(void);

/** Processor time of the calling thread, s: what one thread needs even where the machine is shared. */
double thread_seconds(void);

/** Best of five passes of a[i] = b[i] + s c[i] over arrays far larger than the caches: bytes per second, three streams. 0 without memory.
 *  */
double triad_bandwidth(int threads);

#endif
