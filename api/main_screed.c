/* screed: the daemon. Reads options, opens the lab, starts the HTTP side, the stream and the acceptor, waits for a signal, and takes
 * everything down in the opposite order. Exit codes and options: daemon/options.c. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "api/daemon/notify.h"
#include "api/daemon/options.h"
#include "api/http/listen/acceptor.h"
#include "api/http/server.h"
#include "api/stream/stream.h"
#include "base/quantity.h"
#include "server/log/log.h"

enum { EXIT_USAGE = 2, EXIT_PORT = 3, EXIT_DATA = 4, EXIT_IN_USE = 5, EXIT_WORKER = 6 };

typedef struct daemon_parts {
  daemon_options options;
  event_log *log;
  char worker[PATH_MAX], data[PATH_MAX];
  unsigned port;
  int listening;
  http_hosts hosts;
  lab *lab;
  http_server *http;
  stream *stream;
  access_control *access;
  acceptor *acceptor;
} daemon_parts;

/* Each line of the message as one of its own. */
static int complain(int code, const scr_error *error)
{
  for (const char *line = error->message; *line;) {
    int length = (int)strcspn(line, "\n");
    fprintf(stderr, "screed: %.*s\n", length, line);
    line += length + (line[length] == '\n');
  }
  return code;
}

/* Why screed does not start: for people as on every command line, for programs as a line of the log. */
static int fail_start(const daemon_parts *parts, int code, const scr_error *error)
{
  if (parts->options.log_format == LOG_FORMAT_TEXT) return complain(code, error);
  log_write(parts->log, LOG_LEVEL_ERROR, "start_failed", LOG_FIELDS(log_integer("exit", code), log_text("reason", error->message)));
  return code;
}

/* ── start ── */

/* Fills parts->worker: as given, else scree-worker beside this program. */
static scr_status find_worker(daemon_parts *parts, scr_error *error)
{
  char given[PATH_MAX];
  if (parts->options.worker) {
    snprintf(given, sizeof given, "%s", parts->options.worker);
  } else {
    static const char name[] = "scree-worker";
    ssize_t length = readlink("/proc/self/exe", given, sizeof given - sizeof name);
    if (length < 0) return scr_fail_io(error, "read the link", "/proc/self/exe", errno);
    given[length] = '\0';
    char *slash = strrchr(given, '/');
    memcpy(slash ? slash + 1 : given, name, sizeof name);
  }
  struct stat about;
  if (!realpath(given, parts->worker) || stat(parts->worker, &about) != 0 || !S_ISREG(about.st_mode) || access(parts->worker, X_OK) != 0)
    return scr_fail(error, SCR_IO, NULL, "the worker program %s can't be run: %s; build it with `make`, or name it with --worker PATH",
                    given, errno ? strerror(errno) : "it is not a program");
  return SCR_OK;
}

/* One that is too long becomes none that Slurm can know, and is refused by its executor. */
static void take_word(const char *given, char *word, size_t capacity)
{
  if (given) snprintf(word, capacity, "%s", strlen(given) < capacity ? given : "-");
}

static lab_config lab_configuration(const daemon_parts *parts)
{
  const daemon_options *o = &parts->options;
  lab_config config = lab_config_default();
  config.data_directory = o->data;
  config.worker_path = parts->worker;
  config.slots = o->slots;
  config.threads_per_job = o->threads;
  config.max_attempts = (int)o->max_attempts;
  config.checkpoint_seconds = o->checkpoint_seconds;
  config.lease_seconds = o->lease_seconds;
  config.disk_reserve_bytes = o->disk_reserve;
  config.allow_network_filesystem = o->allow_network_filesystem;
  config.memory_bytes = o->total_memory;
  config.verify_days = o->verify_days;
  config.asset_quota = o->asset_quota;
  config.asset_days = o->asset_days;
  config.limits.asset_bytes = o->asset_bytes;
  config.threads = o->total_threads;
  config.queue_limit = o->queue;
  config.log = parts->log;
  config.executors = o->executor;
  config.slurm_slots = o->slurm_jobs;
  config.slurm_poll_seconds = o->slurm_poll_seconds;
  config.slurm_signal_seconds = o->slurm_signal_seconds;
  config.slurm_options.time_limit = o->slurm_time;
  take_word(o->slurm_partition, config.slurm_options.partition, sizeof config.slurm_options.partition);
  take_word(o->slurm_account, config.slurm_options.account, sizeof config.slurm_options.account);
  take_word(o->slurm_constraint, config.slurm_options.constraint, sizeof config.slurm_options.constraint);
  take_word(o->slurm_gres, config.slurm_options.gres, sizeof config.slurm_options.gres);
  if (o->recording) config.limits.record_bytes = o->recording;
  if (o->memory) config.limits.memory_bytes = (size_t)o->memory;
  return config;
}

static void job_happened(void *user, int64_t id, lab_event event)
{
  daemon_parts *parts = user;
  stream_notify(parts->stream, id, event);
  if (event == LAB_EVENT_DELETED) http_server_forget(parts->http, id);
}

static void take_http(void *user, int socket, const struct sockaddr *address, socklen_t length)
{
  http_server_take(user, socket, address, length);
}

static void take_stream(void *user, int socket)
{
  stream_take(user, socket);
}

static scr_status start_front(daemon_parts *parts, scr_error *error)
{
  http_server_config http = http_server_config_default(parts->lab, &parts->hosts, parts->access);
  http.request_seconds = parts->options.request_seconds;
  http.connection_limit = parts->options.connections;
  http.address_limit = parts->options.connections_per_address;
  http.log = parts->log;
  http.slow_seconds = parts->options.slow_request_seconds;
  stream_config live = {
      .lab = parts->lab, .hosts = &parts->hosts, .access = parts->access, .connection_limit = parts->options.viewers, .log = parts->log};
  SCR_TRY(http_server_start(&http, &parts->http, error));
  SCR_TRY(stream_start(&live, &parts->stream, error));
  lab_listen(parts->lab, job_happened, parts);
  acceptor_sinks sinks = {.take_http = take_http, .http = parts->http, .take_stream = take_stream, .stream = parts->stream};
  int listening = parts->listening;
  parts->listening = -1;
  return acceptor_start(listening, &sinks, &parts->acceptor, error);
}

static int start(daemon_parts *parts)
{
  scr_error error = {0};
  parts->port = parts->options.port;
  if (find_worker(parts, &error) != SCR_OK) return fail_start(parts, EXIT_WORKER, &error);
  if (acceptor_listen(parts->options.listen, &parts->port, &parts->listening, &error) != SCR_OK)
    return fail_start(parts, EXIT_PORT, &error);
  lab_config config = lab_configuration(parts);
  scr_status status = lab_open(&config, &parts->lab, &error);
  if (status != SCR_OK)
    return fail_start(parts, status == SCR_BUSY ? EXIT_IN_USE : status == SCR_NO_MEMORY ? EXIT_FAILURE : EXIT_DATA, &error);
  if (!realpath(parts->options.data, parts->data)) snprintf(parts->data, sizeof parts->data, "%s", parts->options.data);
  parts->hosts = (http_hosts){.listen = parts->options.listen, .names = parts->options.host, .any_address = parts->options.allow_remote};
  scr_error warning;
  if (access_open(parts->data, parts->port, parts->options.no_auth, &parts->access, &warning, &error) != SCR_OK)
    return fail_start(parts, EXIT_DATA, &error);
  if (warning.message[0]) log_write(parts->log, LOG_LEVEL_WARNING, "token_not_shared", LOG_FIELDS(log_text("reason", warning.message)));
  if (start_front(parts, &error) != SCR_OK) return fail_start(parts, EXIT_FAILURE, &error);
  return 0;
}

/* ── stop ── */

/* Waits for the next ending signal for at most `seconds`; whether one came. */
static bool signal_came(const sigset_t *signals, double seconds)
{
  struct timespec limit = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  return sigtimedwait(signals, NULL, &limit) > 0;
}

/* Readiness is 503 from here on. Workers checkpoint and end while requests are still answered, so that whoever watches sees it. */
static bool drain(daemon_parts *parts, const sigset_t *signals)
{
  daemon_notify("STOPPING=1\nSTATUS=waiting for workers to checkpoint");
  lab_drain(parts->lab);
  for (int left = (int)(parts->options.drain_seconds * 20.0); left > 0; left--) {
    lab_totals totals;
    if (lab_count(parts->lab, &totals, NULL) != LAB_OK || totals.workers == 0) return true;
    if (signal_came(signals, 1.0 / 20.0)) return false;
  }
  return false;
}

static void stop(daemon_parts *parts, bool patient)
{
  acceptor_stop(parts->acceptor);
  if (parts->lab) lab_listen(parts->lab, NULL, NULL);
  stream_stop(parts->stream, patient ? 2.0 : 0.2);
  http_server_stop(parts->http, patient ? 2.0 : 0.0);
  if (parts->lab) lab_close(parts->lab, patient ? 5.0 : 0.0);
  access_close(parts->access);
  if (parts->listening >= 0) close(parts->listening);
}

/* ── --check ── */

/* Whether a file with something in it can be made there: an empty one has room on a full disk too. */
static bool can_write(const char *folder)
{
  char probe[PATH_MAX];
  static const char block[4096];
  int length = snprintf(probe, sizeof probe, "%s/.check-XXXXXX", folder);
  errno = ENAMETOOLONG;
  int fd = length > 0 && (size_t)length < sizeof probe ? mkstemp(probe) : -1;
  if (fd < 0) return false;
  ssize_t written = write(fd, block, sizeof block);
  int reason = written < 0 ? errno : ENOSPC;
  close(fd);
  unlink(probe);
  errno = reason;
  return written == (ssize_t)sizeof block;
}

static int check_directory(const char *path, uint64_t reserve)
{
  struct statvfs about;
  char free_text[QUANTITY_BYTES], reserve_text[QUANTITY_BYTES];
  if (access(path, F_OK) != 0) {
    printf("data       %s: missing; it will be created\n", path);
    return 0;
  }
  if (!can_write(path)) {
    printf("data       %s: can't be written to: %s\n", path, strerror(errno));
    return EXIT_DATA;
  }
  double free_bytes = statvfs(path, &about) == 0 ? (double)about.f_bavail * (double)about.f_frsize : 0.0;
  quantity_text(free_bytes, "B", free_text, sizeof free_text);
  quantity_text((double)reserve, "B", reserve_text, sizeof reserve_text);
  printf("data       %s: can be written to, %s free\n", path, free_text);
  if (free_bytes < (double)reserve)
    printf("           no job is accepted while less than %s is free: free some space, or lower --disk-reserve\n", reserve_text);
  return 0;
}

static int check(daemon_parts *parts)
{
  scr_error error = {0};
  printf("screed     %s, built for %s\n", SCR_VERSION, sizeof(void *) == 8 ? "64 bits" : "32 bits");
  int result = check_directory(parts->options.data, parts->options.disk_reserve);
  if (find_worker(parts, &error) == SCR_OK) {
    printf("worker     %s: can be run\n", parts->worker);
  } else {
    printf("worker     %s\n", error.message);
    result = result ? result : EXIT_WORKER;
  }
  parts->port = parts->options.port;
  if (acceptor_listen(parts->options.listen, &parts->port, &parts->listening, &error) == SCR_OK) {
    printf("port       %s %u: free\n", parts->options.listen, parts->port);
    close(parts->listening);
  } else {
    printf("port       %s\n", error.message);
    result = result ? result : EXIT_PORT;
  }
  printf("processors %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
  return result;
}

/* ── run ── */

static void announce(const daemon_parts *parts)
{
  char key[ACCESS_KEY_BYTES];
  bool v6 = strchr(parts->options.listen, ':') != NULL;
  printf("screed " SCR_VERSION " listening on http://%s%s%s:%u/ (data in %s)\n", v6 ? "[" : "", parts->options.listen, v6 ? "]" : "",
         parts->port, parts->data);
  if (parts->options.no_auth)
    printf("  no token is required (--no-auth)\n");
  else if (access_link_make(parts->access, key))
    printf("  open http://%s%s%s:%u/open?key=%s in a browser (once, within %d minutes; `scree link` prints another)\n", v6 ? "[" : "",
           parts->options.listen, v6 ? "]" : "", parts->port, key, ACCESS_LINK_SECONDS / 60);
  fflush(stdout);
  const daemon_options *o = &parts->options;
  log_write(parts->log, LOG_LEVEL_INFO, "started",
            LOG_FIELDS(log_text("version", SCR_VERSION), log_integer("pid", getpid()), log_text("data", parts->data),
                       log_text("address", o->listen), log_integer("port", parts->port),
                       log_text("token", o->no_auth ? "not asked" : "asked"), log_integer("slots", o->slots),
                       log_integer("queue", o->queue), log_integer("disk_reserve_bytes", (int64_t)o->disk_reserve),
                       log_integer("connections", o->connections), log_integer("viewers", o->viewers),
                       log_integer("max_attempts", o->max_attempts), log_real("lease_seconds", o->lease_seconds),
                       log_real("checkpoint_seconds", o->checkpoint_seconds)));
  daemon_notify("READY=1\nSTATUS=running");
}

static int run(daemon_parts *parts, const sigset_t *signals)
{
  log_config lines = log_config_default();
  lines.format = (log_format)parts->options.log_format;
  lines.least = (log_level)parts->options.log_level;
  parts->log = log_open(&lines);
  int code = start(parts);
  if (code != 0) {
    stop(parts, false);
    log_close(parts->log, 2.0);
    return code;
  }
  announce(parts);
  double ping = daemon_watchdog_seconds();
  while (!signal_came(signals, ping > 0.0 ? ping : 3600.0)) {
    /* The store answering is what being alive means; a stuck one lets the watchdog act. */
    lab_totals totals;
    if (ping > 0.0 && lab_count(parts->lab, &totals, NULL) == LAB_OK) daemon_notify("WATCHDOG=1");
  }
  log_write(parts->log, LOG_LEVEL_INFO, "stopping", LOG_FIELDS(log_text("reason", "a signal asked for it")));
  bool patient = drain(parts, signals);
  stop(parts, patient);
  log_write(parts->log, LOG_LEVEL_INFO, "stopped",
            LOG_FIELDS(log_text("workers",
                                patient ? "all saved a checkpoint or had ended" : "some were ended before they could save a checkpoint")));
  log_close(parts->log, 2.0);
  return 0;
}

/* With one of the standard descriptors closed the next file opened would get its number, and what is printed would go into it: the store,
 * perhaps. */
static bool open_standard_descriptors(void)
{
  int opened = 0;
  while (opened <= STDERR_FILENO) { /* the lowest number that is free is given */
    opened = open("/dev/null", O_RDWR);
    if (opened < 0) return false;
  }
  close(opened);
  return true;
}

/* One descriptor per connection, job and recording: take what the system grants. */
static void raise_file_limit(const daemon_options *options)
{
  struct rlimit limit;
  rlim_t wanted = 2048 + 2 * (rlim_t)options->connections + 2 * (rlim_t)options->viewers; /* a file beside each connection */
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
  daemon_parts parts = {.listening = -1};
  scr_error error = {0};
  if (!open_standard_descriptors()) return EXIT_FAILURE;
  if (daemon_options_read(argc, argv, &parts.options, &error) != SCR_OK) return complain(EXIT_USAGE, &error);
  if (parts.options.action == DAEMON_HELP || parts.options.action == DAEMON_VERSION) {
    fputs(parts.options.action == DAEMON_HELP ? daemon_help() : "screed " SCR_VERSION "\n", stdout);
    return 0;
  }
  if (parts.options.action == DAEMON_CHECK) return check(&parts);
  /* Blocked before any thread starts, so that only sigtimedwait sees them. */
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP); /* `nohup screed &` stays */
  sigprocmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file too large, the log's too, is an error of the write */
  umask(077);               /* what jobs record is nobody else's */
  raise_file_limit(&parts.options);
  json_object_seed(0);
  return run(&parts, &signals);
}
