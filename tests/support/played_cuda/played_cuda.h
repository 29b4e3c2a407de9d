/** A CUDA driver and an NVRTC that are played: shared libraries with the names of NVIDIA's, which do on this processor what the documents
 * of the Driver API and of NVRTC say, and refuse what these forbid. A test loads them before the opener looks for libcuda.so.1, so that it
 *  finds these. Kernels are compiled by cc, with products fused unless --fmad=false is given, and run item by item. */
#ifndef SCREE_SUPPORT_PLAYED_CUDA_H
#define SCREE_SUPPORT_PLAYED_CUDA_H

#include <stddef.h>

/** What the driver holds, and what was done wrong that the API does not report. */
typedef struct played_counts {
  size_t contexts, modules, arrays; /**< alive */
  size_t launches, copies;          /**< so far */
  size_t overrun;                   /**< arrays past whose end something was written */
  size_t left;                      /**< arrays that their context's end freed */
} played_counts;

/** The libraries' own words, beside those of NVIDIA. */
typedef struct played_cuda {
  void (*break_at)(const char *call, size_t nth, int code); /**< the nth call from now of the driver's function fails; NULL: none */
  void (*have)(int devices, int capability);            /**< devices, as 10 major + minor */
  const char *(*log)(void);                             /**< names of the driver's calls, a blank after each, since the last `forget` */
  void (*forget)(void);
  played_counts (*counts)(void);
  void (*compile_for)(int most);     /**< the compiler's newest architecture, as 10 major + minor */
  void (*break_compiler)(int code);   /**< the next compilation ends with it */
  const char *(*architecture)(void); /**< of the last compilation that succeeded */
} played_cuda;

/** Loads both, from where make has put them. The driver: "libcuda.so.1", or one that lacks a function. NULL for a compiler: there is none.
 *  @return false without them */
int played_cuda_load(played_cuda *played, const char *driver, const char *compiler);

#endif
