#include "server/executor_options.h"

#include <stddef.h>

#define WORD(name, expression)                                                                                                             \
  {                                                                                                                                        \
#name, offsetof(executor_options, name), sizeof((executor_options *)0)->name, expression                                               \
  }

const executor_word executor_words[EXECUTOR_WORDS] = {WORD(partition, false), WORD(account, false), WORD(constraint, true),
                                                      WORD(gres, true)};

char *executor_word_of(executor_options *options, size_t word)
{
  return (char *)options + executor_words[word].offset;
}

const char *executor_word_in(const executor_options *options, size_t word)
{
  return (const char *)options + executor_words[word].offset;
}

bool executor_options_given(const executor_options *options)
{
  for (size_t k = 0; k < EXECUTOR_WORDS; k++)
    if (executor_word_in(options, k)[0]) return true;
  return options->time_limit != 0;
}
