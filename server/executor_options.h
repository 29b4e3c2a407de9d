/** What a job may say of how a batch engine is to run it. */
#ifndef SCREE_SERVER_EXECUTOR_OPTIONS_H
#define SCREE_SERVER_EXECUTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/** Zeroed: as the lab is configured. */
typedef struct executor_options {
  char partition[64], account[64], constraint[128]; /**< "": none is given */
  char gres[64];                                    /**< generic resources of each node, as Slurm names them ("gpu:1"); "": none */
  double time_limit;                                /**< s; 0: none is given */
} executor_options;

/** An option that is a word. */
typedef struct executor_word {
  const char *name; /**< as in requests, in the store and, with two hyphens, on command lines */
  size_t offset;    /**< in executor_options, B */
  size_t bytes;     /**< that it has there, its end counted */
  bool expression;  /**< may hold an expression's signs, not a name's alone */
} executor_word;

enum { EXECUTOR_WORDS = 4 };
extern const executor_word executor_words[EXECUTOR_WORDS];

/** Where a word stands; belongs to the options. @param word 0 ... EXECUTOR_WORDS - 1 */
char *executor_word_of(executor_options *options, size_t word);
const char *executor_word_in(const executor_options *options, size_t word);

/** Whether anything is given. */
bool executor_options_given(const executor_options *options);

#endif
