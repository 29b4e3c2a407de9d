/* posix_spawn with fixed arguments, no shell. What the browser says on standard error goes into a file of its profile, the end of which
 * explains why it did not start. */
#include "api/cli/drawing/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/cli/drawing/process_memory.h"
#include "api/cli/interrupt.h"

enum { SLICE_MS = 100, PIPE_LOWEST = 10, ANSWER_MOST = 64 << 20, CLOSE_MS = 3000, COMMANDS = 3, ANSWERS = 4 };

/* Pages of the browser's own, which every window makes, and services that a picture does not need. */
#define FEATURES_OFF                                                                                                                       \
  "--disable-features=Translate,OptimizationHints,MediaRouter,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

/* The headless shell first: it draws the same for a third less of a processor. */
static const char *const names[] = {"chromium-headless-shell", "chrome-headless-shell", "chromium",
                                    "chromium-browser",        "google-chrome",         "google-chrome-stable",
                                    "microsoft-edge",          "brave-browser",         "chrome"};

static bool find_in_path(const char *name, char *path)
{
  const char *folders = getenv("PATH");
  for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; *at;) {
    int length = (int)strcspn(at, ":");
    int written = snprintf(path, BROWSER_PATH_BYTES, "%.*s/%s", length, at, name);
    if (*at == '/' && written < BROWSER_PATH_BYTES && access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

bool browser_find(char *path)
{
  const char *given = getenv("SCREE_CHROMIUM");
  if (given && *given) return snprintf(path, BROWSER_PATH_BYTES, "%s", given) < BROWSER_PATH_BYTES && access(path, X_OK) == 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (find_in_path(names[i], path)) return true;
  return false;
}

/* ── the process ── */

static cli_exit fail(browser *self, cli_exit code, const char *text)
{
  snprintf(self->error, sizeof self->error, "%s", text);
  return code;
}

/* A pipe whose ends lie above the numbers that the browser's own get. */
static bool open_pipe(int ends[2])
{
  int first[2];
  if (pipe2(first, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(first[i], F_DUPFD_CLOEXEC, PIPE_LOWEST);
    close(first[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

static void close_end(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* This program's own variables, but not those of Scree: one of them may be the token. To be freed. */
static char **environment_without_secrets(void)
{
  size_t count = 0;
  while (environ[count]) count++;
  char **kept = calloc(count + 1, sizeof *kept);
  for (size_t i = 0, at = 0; kept && i < count; i++)
    if (strncmp(environ[i], "SCREE_", 6) != 0) kept[at++] = environ[i];
  return kept;
}

static int spawn_with(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, browser *self, const char *path, int commands,
                      int answers)
{
  char errors[80], profile[96];
  snprintf(errors, sizeof errors, "%s/errors", self->folder);
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", self->folder);
  const char *arguments[] = {path,
                             "--headless=new",
                             "--remote-debugging-pipe",
                             profile,
                             "--no-first-run",
                             "--no-default-browser-check",
                             "--disable-background-networking",
                             "--disable-component-update",
                             "--disable-extensions",
                             "--disable-sync",
                             "--disable-quic",
                             "--disable-dev-shm-usage",
                             "--disable-gpu",
                             "--use-gl=angle",
                             "--use-angle=swiftshader",
                             "--enable-unsafe-swiftshader",
                             "--force-device-scale-factor=1",
                             FEATURES_OFF,
                             geteuid() == 0 ? "--no-sandbox" : "--mute-audio", /* root can't have its sandbox */
                             "about:blank",
                             NULL};
  int code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT, 0600);
  if (code == 0) code = posix_spawn_file_actions_adddup2(actions, commands, COMMANDS);
  if (code == 0) code = posix_spawn_file_actions_adddup2(actions, answers, ANSWERS);
  char *argv[sizeof arguments / sizeof *arguments];
  memcpy(argv, arguments, sizeof arguments); /* posix_spawn wants char *const[], and changes nothing */
  char **environment = code == 0 ? environment_without_secrets() : NULL;
  if (code == 0) code = environment ? posix_spawn(&self->pid, path, actions, attributes, argv, environment) : ENOMEM;
  free(environment);
  return code;
}

static int spawn(browser *self, const char *path, int commands, int answers)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t standard;
  sigemptyset(&standard);
  sigaddset(&standard, SIGINT);
  sigaddset(&standard, SIGTERM);
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code == 0) {
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    code = spawn_with(&actions, &attributes, self, path, commands, answers);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
  (void)about, (void)kind, (void)place;
  return remove(path), 0;
}

/* Its last words, for a message; "" without any. */
static void read_errors(const browser *self, char *text, size_t capacity)
{
  char path[80];
  snprintf(path, sizeof path, "%s/errors", self->folder);
  FILE *file = fopen(path, "r");
  size_t length = 0;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    long end = ftell(file), from = end > (long)capacity - 1 ? end - (long)capacity + 1 : 0;
    if (fseek(file, from, SEEK_SET) == 0) length = fread(text, 1, capacity - 1, file);
  }
  if (file) fclose(file);
  text[length] = '\0';
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 32 || (unsigned char)*c >= 127) *c = ' ';
}

static cli_exit has_ended(browser *self)
{
  char said[400];
  read_errors(self, said, sizeof said);
  snprintf(self->error, sizeof self->error, "the browser exited unexpectedly%s%s", *said ? ": " : "", said);
  return CLI_FAILED;
}

/* ── commands and answers ── */

/* Whether it may go on; looked at between waits. */
static cli_exit within_bounds(browser *self)
{
  if (interrupt_came()) return fail(self, CLI_INTERRUPTED, "interrupted");
  double now = interrupt_clock();
  bool due = now >= self->memory_next;
  size_t held = due ? process_group_memory(self->pid) : 0;
  if (due) self->memory_next = now + SLICE_MS / 1000.0;
  if (held > self->memory_peak) self->memory_peak = held;
  if (held > self->memory_most) {
    snprintf(self->error, sizeof self->error,
             "the browser holds %.1f GiB of memory, %.1f are allowed: choose a smaller size, or allow more with --memory",
             (double)held / 0x1p30, (double)self->memory_most / 0x1p30);
    return CLI_FAILED;
  }
  if (now < self->deadline) return CLI_DONE;
  snprintf(self->error, sizeof self->error, "drawing took longer than %.4g s: choose a smaller size, or allow more with --timeout",
           self->seconds);
  return CLI_TIMED_OUT;
}

static cli_exit write_all(browser *self, const char *text, size_t size)
{
  for (size_t at = 0; at < size;) {
    struct pollfd watched = {.fd = self->commands, .events = POLLOUT};
    cli_exit code = within_bounds(self);
    if (code != CLI_DONE) return code;
    if (poll(&watched, 1, SLICE_MS) <= 0) continue;
    ssize_t put = write(self->commands, text + at, size - at);
    if (put < 0 && errno != EAGAIN && errno != EINTR) return has_ended(self);
    if (put > 0) at += (size_t)put;
  }
  return CLI_DONE;
}

/* More bytes into `unread`. */
static cli_exit read_more(browser *self)
{
  struct pollfd watched = {.fd = self->answers, .events = POLLIN};
  cli_exit code = within_bounds(self);
  if (code != CLI_DONE || poll(&watched, 1, SLICE_MS) <= 0) return code;
  if (self->unread_size == self->unread_capacity) {
    size_t larger = self->unread_capacity ? 2 * self->unread_capacity : 1 << 16;
    char *grown = larger <= ANSWER_MOST ? realloc(self->unread, larger) : NULL;
    if (!grown) return fail(self, CLI_FAILED, "the browser's answer is longer than is allowed");
    self->unread = grown;
    self->unread_capacity = larger;
  }
  ssize_t got = read(self->answers, self->unread + self->unread_size, self->unread_capacity - self->unread_size);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return has_ended(self);
  if (got > 0) self->unread_size += (size_t)got;
  return CLI_DONE;
}

/* The next whole message (new reference), which may be news that nobody waits for. */
static cli_exit next_message(browser *self, json_t **message)
{
  for (size_t looked = 0;;) {
    char *end = self->unread_size > looked ? memchr(self->unread + looked, 0, self->unread_size - looked) : NULL;
    if (end) {
      size_t length = (size_t)(end - self->unread);
      *message = json_loadb(self->unread, length, 0, NULL);
      self->unread_size -= length + 1;
      memmove(self->unread, end + 1, self->unread_size);
      return *message ? CLI_DONE : fail(self, CLI_FAILED, "the browser sent what is not JSON");
    }
    looked = self->unread_size;
    cli_exit code = read_more(self);
    if (code != CLI_DONE) return code;
  }
}

/* The answer to command `number`. */
static cli_exit await(browser *self, json_int_t number, const char *method, json_t **result)
{
  for (;;) {
    json_t *message;
    cli_exit code = next_message(self, &message);
    if (code != CLI_DONE) return code;
    const json_t *id = json_object_get(message, "id"), *error = json_object_get(message, "error");
    bool ours = json_is_integer(id) && json_integer_value(id) == number;
    if (ours && error) {
      const char *text = json_string_value(json_object_get(error, "message"));
      snprintf(self->error, sizeof self->error, "the browser refused %s: %.600s", method, text ? text : "no reason given");
      code = CLI_FAILED;
    } else if (ours && result)
      *result = json_incref(json_object_get(message, "result"));
    json_decref(message);
    if (ours) return code;
  }
}

cli_exit browser_command(browser *self, const char *method, json_t *parameters, json_t **result)
{
  if (result) *result = NULL;
  json_t *command = json_pack("{s:I, s:s, s:o}", "id", ++self->last, "method", method, "params", parameters ? parameters : json_object());
  if (command && self->session) (void)json_object_set_new(command, "sessionId", json_string(self->session));
  char *text = command ? json_dumps(command, JSON_COMPACT) : NULL;
  json_decref(command);
  if (!text) return fail(self, CLI_FAILED, "there is no memory for a command to the browser");
  cli_exit code = write_all(self, text, strlen(text) + 1);
  free(text);
  return code == CLI_DONE ? await(self, self->last, method, result) : code;
}

cli_exit browser_evaluate(browser *self, const char *expression, json_t **value)
{
  json_t *result;
  *value = NULL;
  cli_exit code = browser_command(self, "Runtime.evaluate",
                                  json_pack("{s:s, s:b, s:b}", "expression", expression, "awaitPromise", 1, "returnByValue", 1), &result);
  if (code != CLI_DONE) return code;
  const json_t *thrown = json_object_get(result, "exceptionDetails");
  if (thrown) {
    const char *text = json_string_value(json_object_get(json_object_get(thrown, "exception"), "description"));
    snprintf(self->error, sizeof self->error, "the page failed: %.600s", text ? text : "no reason given");
    code = CLI_FAILED;
  } else
    *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
  json_decref(result);
  return code;
}

/* ── life ── */

static cli_exit attach(browser *self)
{
  json_t *result;
  cli_exit code = browser_command(self, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"), &result);
  if (code != CLI_DONE) return code;
  const char *target = json_string_value(json_object_get(result, "targetId"));
  json_t *parameters = json_pack("{s:s, s:b}", "targetId", target ? target : "", "flatten", 1);
  json_decref(result);
  code = browser_command(self, "Target.attachToTarget", parameters, &result);
  if (code != CLI_DONE) return code;
  const char *session = json_string_value(json_object_get(result, "sessionId"));
  snprintf(self->session_text, sizeof self->session_text, "%s", session ? session : "");
  self->session = self->session_text;
  json_decref(result);
  return CLI_DONE;
}

cli_exit browser_open(browser *self, const char *path, double seconds, size_t memory_most)
{
  *self = (browser){.commands = -1, .answers = -1, .seconds = seconds, .memory_most = memory_most};
  self->deadline = interrupt_clock() + seconds;
  const char *folder = getenv("TMPDIR");
  if (snprintf(self->folder, sizeof self->folder, "%s/scree-draw-XXXXXX", folder && strlen(folder) < 40 ? folder : "/tmp") < 0 ||
      !mkdtemp(self->folder)) {
    self->folder[0] = '\0';
    return fail(self, CLI_FAILED, "no folder for the browser's profile can be made");
  }
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  int code = open_pipe(to) && open_pipe(from) ? spawn(self, path, to[0], from[1]) : EMFILE;
  close_end(&to[0]);
  close_end(&from[1]);
  self->commands = to[1];
  self->answers = from[0];
  if (code != 0) {
    self->pid = 0;
    snprintf(self->error, sizeof self->error, "%.400s can't be started: %s", path, strerror(code));
    return CLI_FAILED;
  }
  fcntl(self->commands, F_SETFL, O_NONBLOCK);
  fcntl(self->answers, F_SETFL, O_NONBLOCK);
  signal(SIGPIPE, SIG_IGN); /* a browser that ends is told apart by what write and read return */
  return attach(self);
}

/* Waits until nobody of a group that was killed is left, at most for CLOSE_MS: what is killed still runs until the kernel comes to it. */
static void wait_for_group(pid_t group)
{
  double end = interrupt_clock() + CLOSE_MS / 1000.0;
  while (kill(-group, 0) == 0 && interrupt_clock() < end) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Closing the pipe makes it end in good order; its group is killed all the same, as its helpers may outlive it. */
void browser_close(browser *self)
{
  close_end(&self->commands);
  close_end(&self->answers);
  if (self->pid > 0) {
    kill(-self->pid, SIGTERM);
    double end = interrupt_clock() + CLOSE_MS / 1000.0;
    while (waitpid(self->pid, NULL, WNOHANG) == 0 && interrupt_clock() < end) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    kill(-self->pid, SIGKILL);
    waitpid(self->pid, NULL, 0);
    wait_for_group(self->pid);
    self->pid = 0;
  }
  if (self->folder[0]) nftw(self->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  self->folder[0] = '\0';
  free(self->unread);
  self->unread = NULL;
}
