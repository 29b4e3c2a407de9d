/** Commands of `scree`: what one is, how its arguments are read, how it ends.
 *
 *  A command is a constant: name, options, help and a function. main_scree.c holds the table of all of them. Everything a
 *  command prints for programs goes to stdout, everything for people who watch goes to stderr. */
#ifndef SCREE_API_CLI_COMMAND_H
#define SCREE_API_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CLI_DEFAULT_SERVER "http://127.0.0.1:8080"

/** How `scree` ends. */
typedef enum cli_exit {
  CLI_DONE = 0,
  CLI_FAILED = 1,        /**< the run failed, or a file could not be written */
  CLI_BAD_USAGE = 2,     /**< unknown option, missing file, no such job */
  CLI_UNREACHABLE = 3,   /**< no server answers, or it takes no work now */
  CLI_REFUSED = 4,       /**< the scene is refused */
  CLI_CANCELLED = 5,     /**< the run was cancelled */
  CLI_TIMED_OUT = 6,     /**< --timeout passed */
  CLI_INCOMPLETE = 7,    /**< records are damaged or missing; what is whole was used */
  CLI_DOUBTED = 8,       /**< the run succeeded, with doubts: its results are there, and sentences say why not to trust them */
  CLI_INTERRUPTED = 130, /**< Ctrl-C or SIGTERM; what was going on can be taken up again */
} cli_exit;

enum { CLI_OPTION_LIMIT = 16, CLI_WORD_LIMIT = 64, CLI_EXAMPLE_LIMIT = 5, CLI_REPEAT_LIMIT = 16 };

typedef struct cli_option {
  const char *name;  /**< "threads", given as --threads; NULL ends a list */
  char letter;       /**< 'o' for -o, 0 for none */
  const char *value; /**< what stands for the value in the help, "N"; NULL for a switch */
  const char *help;  /**< one line */
} cli_option;

/** One line a person may type, and what it does. */
typedef struct cli_example {
  const char *line; /**< without "scree", words apart by one blank and without quotes; may end with "> FILE"; NULL ends a list */
  const char *help;
} cli_example;

typedef struct cli_call cli_call;

typedef struct cli_command {
  const char *name;
  const char *words;                        /**< what stands for the arguments in the help: "SCENE" */
  size_t least, most;                       /**< how many arguments it takes, most <= CLI_WORD_LIMIT */
  bool needs_server;                        /**< takes --server */
  const char *summary;                      /**< one line, without a full stop */
  const char *description;                  /**< paragraphs for --help */
  cli_option options[CLI_OPTION_LIMIT + 1]; /**< its own ones, besides those all commands have */
  const char *repeats;      /**< name of an option that may be given up to CLI_REPEAT_LIMIT times, each value of which counts; of others the
                                 last counts; NULL for none */
  const char *also_repeats; /**< name of a second one; NULL for none */
  cli_example examples[CLI_EXAMPLE_LIMIT + 1]; /**< at least one */
  cli_exit (*run)(const cli_call *call);
} cli_command;

/** One command with its arguments; strings belong to argv. */
struct cli_call {
  const cli_command *command;
  const char *words[CLI_WORD_LIMIT];
  size_t word_count;
  const char *values[CLI_OPTION_LIMIT];   /**< [option] value of the command's own option, "" for a switch, NULL when absent */
  const char *repeated[CLI_REPEAT_LIMIT]; /**< values of its option that repeats, in the order given */
  size_t repeated_count;
  const char *also_repeated[CLI_REPEAT_LIMIT]; /**< values of its second one */
  size_t also_repeated_count;
  bool json, quiet, help;
  const char *server; /**< base address, without a slash at the end of it; "" when not given */
};

/** Reads the arguments after the command's name. Options may stand anywhere, as `--name value`, `--name=value`, `-n value` or
 *  `-nvalue`; `--` ends them. On a mistake writes what is wrong and what is possible into `message` and returns false. */
bool cli_call_read(const cli_command *command, int count, char *const *arguments, cli_call *call, char *message, size_t capacity);

/** Value of an option of the command, NULL when absent, "" for a switch. `name` must be in its table. */
const char *cli_text(const cli_call *call, const char *name);

/** Whether a switch or option was given. */
bool cli_given(const cli_call *call, const char *name);

/** Number in an option into `*value`, which keeps what it holds when the option is absent. False (and `message` filled) when the
 *  text is no number or outside minimum ... maximum. */
bool cli_number(const cli_call *call, const char *name, double minimum, double maximum, double *value, char *message, size_t capacity);

/** The same for whole numbers. */
bool cli_whole(const cli_call *call, const char *name, long long minimum, long long maximum, long long *value, char *message,
               size_t capacity);

/** Whole number in an argument, such as a job's id. */
bool cli_word_whole(const char *word, const char *what, long long minimum, long long *value, char *message, size_t capacity);

/** Writes the help of one command. */
void cli_command_help(const cli_command *command, FILE *out);

/** Option number `index` of a command: its own ones first, then those all commands have; NULL past the last. */
const cli_option *cli_option_at(const cli_command *command, size_t index);

/** What each exit code means, for the help and the manual: "0 done". NULL past the last. */
const char *cli_exit_text(size_t index);

#endif
