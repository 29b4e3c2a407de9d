/** Libraries of dense kernels on one thread, so that their bits never depend on threads. They know one number for the whole process: who
 *  uses them in threads of its own shares it, and finds OpenBLAS at one thread afterwards. */
#ifndef SCREE_LINALG_ONE_THREAD_H
#define SCREE_LINALG_ONE_THREAD_H

/** From here on until la_one_thread_end: BLAS, and loops inside libraries, run on the calling thread alone. @return what end is told */
int la_one_thread_begin(void);
void la_one_thread_end(int before);

#endif
