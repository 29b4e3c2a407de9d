/** The processor family a recording was made on: runs on the same family give the same bits. */
#ifndef SCREE_RUN_PROCESSOR_H
#define SCREE_RUN_PROCESSOR_H

#include <stddef.h>

/** Who made the processor: "GenuineIntel", "AuthenticAMD"; "unknown" where it can't be asked. Libraries of mathematics choose their
 *  variants by it too. */
void processor_vendor(char *text, size_t capacity);

/** "x86_64 avx fma avx2 avx512f": the instruction sets by which the mathematics library chooses its variants. Nothing of model or clock. */
void processor_family(char *text, size_t capacity);

#endif
