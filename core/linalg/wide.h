/** Functions compiled twice, for processors with 256-bit registers and for all: which one runs is chosen when the program starts. Products
 * and sums are not fused (-ffp-contract=off), so that both give the same bits. */
#ifndef SCREE_LINALG_WIDE_H
#define SCREE_LINALG_WIDE_H

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&             \
    !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
