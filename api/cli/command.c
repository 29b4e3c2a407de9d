/* Reading a command's arguments by its table of options, and writing its help from the same table. */
#include "api/cli/command.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Options every command has. */
static const cli_option option_json = {"json", 0, NULL, "print one JSON document to stdout"};
static const cli_option option_quiet = {"quiet", 'q', NULL, "no progress on stderr"};
static const cli_option option_help = {"help", 'h', NULL, "this help"};
static const cli_option option_server = {"server", 0, "URL", "the daemon's address; default: $SCREE_SERVER or " CLI_DEFAULT_SERVER};

static size_t option_count(const cli_command *command)
{
  size_t count = 0;
  while (count < CLI_OPTION_LIMIT && command->options[count].name) count++;
  return count;
}

static bool is_option(const cli_option *option, const char *name, size_t length)
{
  return strlen(option->name) == length && memcmp(option->name, name, length) == 0;
}

/* Which option is meant by a long name (letter 0) or a letter; `slot` becomes its index among the command's own, or -1. */
static const cli_option *find_option(const cli_command *command, const char *name, size_t length, char letter, int *slot)
{
  const cli_option *common[] = {&option_json, &option_quiet, &option_help, &option_server};
  size_t own = option_count(command);
  for (size_t i = 0; i < own; i++) {
    const cli_option *option = &command->options[i];
    *slot = (int)i;
    if (letter ? option->letter == letter : is_option(option, name, length)) return option;
  }
  *slot = -1;
  for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
    if (common[i] == &option_server && !command->needs_server) continue;
    if (letter ? common[i]->letter == letter : is_option(common[i], name, length)) return common[i];
  }
  return NULL;
}

/* Where the values of an option that repeats go, and how many are there. NULL: it does not repeat. */
static const char **repeated(cli_call *call, const cli_option *option, size_t **count)
{
  const cli_command *command = call->command;
  bool first = command->repeats && strcmp(option->name, command->repeats) == 0,
       second = command->also_repeats && strcmp(option->name, command->also_repeats) == 0;
  *count = first ? &call->repeated_count : &call->also_repeated_count;
  return first ? call->repeated : second ? call->also_repeated : NULL;
}

static void store(cli_call *call, const cli_option *option, int slot, const char *value)
{
  if (slot >= 0) {
    call->values[slot] = value;
    size_t *count;
    const char **list = repeated(call, option, &count);
    if (list && *count < CLI_REPEAT_LIMIT) list[(*count)++] = value;
  }
  if (slot >= 0) return;
  if (option == &option_json)
    call->json = true;
  else if (option == &option_quiet)
    call->quiet = true;
  else if (option == &option_help)
    call->help = true;
  else
    call->server = value;
}

/* Reads the option at arguments[*at], and its value if that is a word of its own. */
static bool read_option(const cli_command *command, int count, char *const *arguments, int *at, cli_call *call, char *message,
                        size_t capacity)
{
  const char *word = arguments[*at], *value = NULL;
  const cli_option *option;
  int slot;
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    option = find_option(command, word + 2, length, 0, &slot);
    if (word[2 + length] == '=') value = word + 2 + length + 1;
  } else {
    option = find_option(command, NULL, 0, word[1], &slot);
    if (word[2]) value = word + 2;
  }
  if (!option) {
    snprintf(message, capacity, "'%s' has no option '%s'; 'scree %s --help' lists them", command->name, word, command->name);
    return false;
  }
  if (!option->value) {
    if (value) {
      snprintf(message, capacity, "--%s takes no value, but '%s' was given", option->name, word);
      return false;
    }
    store(call, option, slot, "");
    return true;
  }
  if (!value && *at + 1 < count) value = arguments[++*at];
  if (!value || !*value) {
    snprintf(message, capacity, "--%s needs a value: --%s %s (%s)", option->name, option->name, option->value, option->help);
    return false;
  }
  size_t *given;
  if (repeated(call, option, &given) && *given == CLI_REPEAT_LIMIT) {
    snprintf(message, capacity, "--%s is given more than %d times", option->name, CLI_REPEAT_LIMIT);
    return false;
  }
  store(call, option, slot, value);
  return true;
}

bool cli_call_read(const cli_command *command, int count, char *const *arguments, cli_call *call, char *message, size_t capacity)
{
  *call = (cli_call){.command = command, .server = ""};
  bool options_end = false;
  for (int i = 0; i < count; i++) {
    const char *word = arguments[i];
    if (!options_end && strcmp(word, "--") == 0) {
      options_end = true;
    } else if (!options_end && word[0] == '-' && word[1]) {
      if (!read_option(command, count, arguments, &i, call, message, capacity)) return false;
    } else if (call->word_count < command->most) {
      call->words[call->word_count++] = word;
    } else {
      snprintf(message, capacity, "unexpected argument '%s'; usage: scree %s %s", word, command->name, command->words);
      return false;
    }
  }
  if (call->word_count < command->least && !call->help) {
    snprintf(message, capacity, "an argument is missing; usage: scree %s %s", command->name, command->words);
    return false;
  }
  return true;
}

const char *cli_text(const cli_call *call, const char *name)
{
  for (size_t i = 0; i < CLI_OPTION_LIMIT && call->command->options[i].name; i++)
    if (strcmp(call->command->options[i].name, name) == 0) return call->values[i];
  return NULL;
}

bool cli_given(const cli_call *call, const char *name)
{
  return cli_text(call, name) != NULL;
}

bool cli_number(const cli_call *call, const char *name, double minimum, double maximum, double *value, char *message, size_t capacity)
{
  const char *text = cli_text(call, name);
  if (!text) return true;
  char *end;
  double number = strtod(text, &end);
  if (end != text && !*end && number >= minimum && number <= maximum) {
    *value = number;
    return true;
  }
  snprintf(message, capacity, "--%s must be a number from %g to %g, not '%s'", name, minimum, maximum, text);
  return false;
}

static bool parse_whole(const char *text, long long minimum, long long maximum, long long *value)
{
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < minimum || number > maximum) return false;
  *value = number;
  return true;
}

bool cli_whole(const cli_call *call, const char *name, long long minimum, long long maximum, long long *value, char *message,
               size_t capacity)
{
  const char *text = cli_text(call, name);
  if (!text || parse_whole(text, minimum, maximum, value)) return true;
  snprintf(message, capacity, "--%s must be a whole number from %lld to %lld, not '%s'", name, minimum, maximum, text);
  return false;
}

bool cli_word_whole(const char *word, const char *what, long long minimum, long long *value, char *message, size_t capacity)
{
  if (parse_whole(word, minimum, INT64_MAX, value)) return true;
  snprintf(message, capacity, "%s must be a whole number from %lld, not '%s'", what, minimum, word);
  return false;
}

static void option_help_line(const cli_option *option, FILE *out)
{
  char left[64], letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "", option->value ? option->value : "");
  fprintf(out, "  %-26s %s\n", left, option->help);
}

const cli_option *cli_option_at(const cli_command *command, size_t index)
{
  const cli_option *common[] = {command->needs_server ? &option_server : &option_json, &option_json, &option_quiet, &option_help};
  size_t own = option_count(command), first = command->needs_server ? 0 : 1;
  if (index < own) return &command->options[index];
  index += first - own;
  return index < sizeof common / sizeof common[0] ? common[index] : NULL;
}

const char *cli_exit_text(size_t index)
{
  static const char *const texts[] = {"0 done",
                                      "1 the run failed, or a file could not be written",
                                      "2 bad usage",
                                      "3 server unreachable, or it accepts no work now",
                                      "4 scene refused",
                                      "5 cancelled",
                                      "6 timed out",
                                      "7 a recording is incomplete: records are damaged or missing",
                                      "8 the run succeeded with doubts: it has results, and reasons not to trust them",
                                      "130 interrupted"};
  return index < sizeof texts / sizeof texts[0] ? texts[index] : NULL;
}

void cli_command_help(const cli_command *command, FILE *out)
{
  fprintf(out, "scree %s%s%s: %s\n\n%s\n\nOptions:\n", command->name, *command->words ? " " : "", command->words, command->summary,
          command->description);
  const cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) option_help_line(option, out);
  fprintf(out, "\nExample%s:\n", command->examples[1].line ? "s" : "");
  for (const cli_example *example = command->examples; example->line; example++)
    fprintf(out, "  scree %-48s  %s\n", example->line, example->help);
}
