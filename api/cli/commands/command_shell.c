/* `scree completion` and `scree manual`: what a shell and `man` want to know, made from the table of commands. */
#include <string.h>

#include "api/cli/commands/command_table.h"
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "scree.h"
#include "server/embedded.h"

/* ── completion ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void print_names(void)
{
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) printf("%s%s", i ? " " : "", command->name);
}

/* "gallery:NAME ...", for commands that take a SCENE, and plain names for the others. */
static void print_scenes(const char *before)
{
  size_t count;
  const embedded_file *assets = embedded_under("gallery/", &count);
  for (size_t i = 0; i < count; i++) {
    const char *name = assets[i].path + strlen("gallery/");
    printf("%s%s%.*s", i ? " " : "", before, (int)strcspn(name, "."), name);
  }
}

static void print_methods(void)
{
  for (size_t i = 0; i < scr_method_count(); i++) printf("%s%s", i ? " " : "", scr_method_name(i));
}

static void print_options(const cli_command *command)
{
  const cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
    printf("%s--%s", i ? " " : "", option->name);
    if (option->letter) printf(" -%c", option->letter);
  }
}

/* The words that may stand as a command's first argument; files besides where it takes a SCENE or a RECORDING. */
static void print_words(const cli_command *command)
{
  if (strncmp(command->words, "SCENE", 5) == 0)
    print_scenes("gallery:");
  else if (command == &command_gallery)
    print_scenes("");
  else if (command == &command_methods)
    print_methods();
  else if (command == &command_completion)
    fputs("bash zsh", stdout);
  else if (command == &command_contact)
    fputs("solve merit bench", stdout);
}

static bool takes_files(const cli_command *command)
{
  return strncmp(command->words, "SCENE", 5) == 0 || strncmp(command->words, "RECORDING", 9) == 0 ||
         strncmp(command->words, "FILE", 4) == 0 || command == &command_contact;
}

static void print_bash(void)
{
  const cli_command *command;
  fputs("# Completion of scree for bash. Made by `scree completion bash`.\n"
        "_scree() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= words= files=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"",
        stdout);
  print_names();
  fputs(" help --help --version\" -- \"$word\"))\n    return\n  fi\n  case $command in\n  help) words=\"", stdout);
  print_names();
  fputs("\" ;;\n", stdout);
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
    printf("  %s)\n    options=\"", command->name);
    print_options(command);
    fputs("\"\n    words=\"", stdout);
    print_words(command);
    printf("\"\n    files=%s\n    ;;\n", takes_files(command) ? "yes" : "");
  }
  fputs("  esac\n"
        "  case $before in\n"
        "  -o | --output) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "  --state) COMPREPLY=($(compgen -W \"queued running paused succeeded failed cancelled\" -- \"$word\")); return ;;\n"
        "  esac\n"
        "  case $word in\n"
        "  -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "  *)\n"
        "    # readline takes ':' for the end of a word: complete what stands behind it\n"
        "    if [ \"$before\" = : ] || [ \"$word\" = : ]; then\n"
        "      [ \"$word\" = : ] && word=\n"
        "      COMPREPLY=($(compgen -W \"${words//gallery:/}\" -- \"$word\"))\n"
        "      return\n"
        "    fi\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "    [ -n \"$files\" ] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
        "    ;;\n"
        "  esac\n"
        "}\n"
        "complete -o filenames -F _scree scree\n",
        stdout);
}

/* A text in single quotes of zsh, inside brackets of _arguments. */
static void print_zsh_text(const char *text)
{
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

static void print_zsh_option(const cli_option *option)
{
  const char *action = strcmp(option->name, "output") == 0  ? "_files"
                       : strcmp(option->name, "state") == 0 ? "(queued running paused succeeded failed cancelled)"
                                                            : " ";
  for (int form = option->letter ? 0 : 1; form < 2; form++) {
    if (form == 0)
      printf("      '-%c[", option->letter);
    else
      printf("      '--%s[", option->name);
    print_zsh_text(option->help);
    fputs("]", stdout);
    if (option->value) printf(":%s:%s", option->value, action);
    fputs("' \\\n", stdout);
  }
}

static void print_zsh(void)
{
  const cli_command *command;
  const cli_option *option;
  fputs("#compdef scree\n# Completion of scree for zsh. Made by `scree completion zsh`.\n_scree() {\n  local -a commands\n  commands=(\n",
        stdout);
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
    printf("    '%s:", command->name);
    print_zsh_text(command->summary);
    fputs("'\n", stdout);
  }
  fputs("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n"
        "  (( CURRENT-- ))\n  case $command in\n",
        stdout);
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
    printf("  %s)\n    _arguments -s \\\n", command->name);
    for (size_t j = 0; (option = cli_option_at(command, j)) != NULL; j++) print_zsh_option(option);
    fputs("      '*:: :->words'\n    if [[ $state == words ]]; then\n      local -a names\n      names=(", stdout);
    print_words(command);
    printf(")\n      compadd -a names\n%s    fi\n    ;;\n", takes_files(command) ? "      _files\n" : "");
  }
  fputs("  esac\n}\n_scree \"$@\"\n", stdout);
}

static cli_exit completion(const cli_call *call)
{
  if (strcmp(call->words[0], "bash") == 0)
    print_bash();
  else if (strcmp(call->words[0], "zsh") == 0)
    print_zsh();
  else
    return console_fail(call, CLI_BAD_USAGE, "there is completion for bash and zsh, not for '%.60s'", call->words[0]);
  return console_flush(CLI_DONE);
}

/* ── manual ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Text for roff: '-' and '\' escaped, a line that begins with a dot or a quote hidden from it; line ends kept where wanted. */
static void roff(const char *text)
{
  bool line_begins = true;
  for (; *text; text++) {
    if (line_begins && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
    line_begins = *text == '\n';
    if (*text == '-')
      fputs("\\-", stdout);
    else if (*text == '\\')
      fputs("\\e", stdout);
    else
      putchar(*text);
  }
}

static void roff_command(const cli_command *command)
{
  const cli_option *option;
  fputs(".SS scree ", stdout);
  roff(command->name);
  if (*command->words) putchar(' '), roff(command->words);
  putchar('\n');
  roff(command->summary);
  fputs(".\n.PP\n", stdout);
  for (const char *text = command->description; *text; text++) { /* paragraphs are apart by an empty line */
    size_t paragraph = strcspn(text, "\n");
    char line[2048];
    snprintf(line, sizeof line, "%.*s", (int)paragraph, text);
    roff(line);
    text += paragraph;
    fputs(text[0] && text[1] == '\n' ? "\n.PP\n" : "\n", stdout);
    if (!*text) break;
    if (text[1] == '\n') text++;
  }
  for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
    fputs(".TP\n.B ", stdout);
    if (option->letter) printf("\\-%c, ", option->letter);
    fputs("\\-\\-", stdout), roff(option->name);
    if (option->value) fputs(" \\fI", stdout), roff(option->value), fputs("\\fR", stdout);
    putchar('\n'), roff(option->help), putchar('\n');
  }
  for (const cli_example *example = command->examples; example->line; example++) {
    fputs(".PP\n\\fBscree ", stdout), roff(example->line), fputs("\\fR\n.br\n", stdout);
    roff(example->help), putchar('\n');
  }
}

static cli_exit manual(const cli_call *call)
{
  (void)call;
  const cli_command *command;
  const char *text;
  fputs(".TH SCREE 1 \"\" \"Scree " SCR_VERSION
        "\" \"User commands\"\n.SH NAME\nscree \\- a virtual test laboratory for matter made of pieces\n"
        ".SH SYNOPSIS\n.B scree\n.I COMMAND\n[\\fIOPTION\\fR ...]\n.SH DESCRIPTION\n"
        "Describes experiments as scenes (JSON), checks and runs them here or on a \\fBscreed\\fR server, and brings the results.\n"
        "Results go to standard output, progress and messages to standard error; with \\fB\\-\\-json\\fR standard output is one JSON "
        "document.\n"
        ".SH COMMANDS\n",
        stdout);
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) roff_command(command);
  fputs(".SH ENVIRONMENT\n.TP\n.B SCREE_SERVER\nThe server's address when \\-\\-server is not given; http://127.0.0.1:8080 without "
        "it.\n.SH EXIT STATUS\n",
        stdout);
  for (size_t i = 0; (text = cli_exit_text(i)) != NULL; i++) {
    size_t digits = strcspn(text, " ");
    printf(".TP\n.B %.*s\n", (int)digits, text);
    roff(text + digits + 1), putchar('\n');
  }
  return console_flush(CLI_DONE);
}

const cli_command command_completion = {
    .name = "completion",
    .words = "SHELL",
    .least = 1,
    .most = 1,
    .summary = "print the completion of this command for bash or zsh",
    .description = "`make install` puts both where the shells look. By hand, for bash: source <(scree completion bash).",
    .examples = {{"completion bash", "for bash"}, {"completion zsh > _scree", "into a folder of zsh's fpath"}},
    .run = completion,
};

const cli_command command_manual = {
    .name = "manual",
    .words = "",
    .summary = "print the manual page (roff)",
    .description = "`make install` installs it: man scree. By hand: scree manual | man -l -.",
    .examples = {{"manual > scree.1", "the page as a file"}},
    .run = manual,
};
