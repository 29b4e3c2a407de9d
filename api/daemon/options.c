/* One table of options serves the command line and the environment. */
#include "api/daemon/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/parse/host.h"
#include "server/lab/lab.h"
#include "server/log/log.h"

typedef enum option_kind {
  OPTION_TEXT,
  OPTION_COUNT,
  OPTION_BYTES,
  OPTION_SECONDS,
  OPTION_FLAG,
  OPTION_LOG_FORMAT,
  OPTION_LOG_LEVEL
} option_kind;

typedef struct option {
  const char *name; /* without the dashes; the environment's is SCREE_ and this in capitals with underscores */
  option_kind kind;
  size_t offset;
  double low, high;
} option;

static const option table[] = {
    {"data", OPTION_TEXT, offsetof(daemon_options, data), 0, 0},
    {"listen", OPTION_TEXT, offsetof(daemon_options, listen), 0, 0},
    {"host", OPTION_TEXT, offsetof(daemon_options, host), 0, 0},
    {"worker", OPTION_TEXT, offsetof(daemon_options, worker), 0, 0},
    {"port", OPTION_COUNT, offsetof(daemon_options, port), 0, 65535},
    {"slots", OPTION_COUNT, offsetof(daemon_options, slots), 1, 1024},
    {"threads", OPTION_COUNT, offsetof(daemon_options, threads), 0, 1024},
    {"max-attempts", OPTION_COUNT, offsetof(daemon_options, max_attempts), 1, 100},
    {"viewers", OPTION_COUNT, offsetof(daemon_options, viewers), 1, 10000},
    {"connections", OPTION_COUNT, offsetof(daemon_options, connections), 8, 100000},
    {"connections-per-address", OPTION_COUNT, offsetof(daemon_options, connections_per_address), 0, 100000},
    {"memory", OPTION_BYTES, offsetof(daemon_options, memory), 1 << 20, 1e15},
    {"recording", OPTION_BYTES, offsetof(daemon_options, recording), 1 << 20, 1e15},
    {"total-memory", OPTION_BYTES, offsetof(daemon_options, total_memory), 0, 1e15},
    {"total-threads", OPTION_COUNT, offsetof(daemon_options, total_threads), 0, 4096},
    {"queue", OPTION_COUNT, offsetof(daemon_options, queue), 1, 10000000},
    {"disk-reserve", OPTION_BYTES, offsetof(daemon_options, disk_reserve), 0, 1e15},
    {"checkpoint-seconds", OPTION_SECONDS, offsetof(daemon_options, checkpoint_seconds), 0.01, 86400},
    {"lease-seconds", OPTION_SECONDS, offsetof(daemon_options, lease_seconds), 0.1, 86400},
    {"drain-seconds", OPTION_SECONDS, offsetof(daemon_options, drain_seconds), 0, 86400},
    {"request-seconds", OPTION_SECONDS, offsetof(daemon_options, request_seconds), 0.1, 86400},
    {"slow-request-seconds", OPTION_SECONDS, offsetof(daemon_options, slow_request_seconds), 0, 86400},
    {"asset-bytes", OPTION_BYTES, offsetof(daemon_options, asset_bytes), 1024, 1e12},
    {"asset-quota", OPTION_BYTES, offsetof(daemon_options, asset_quota), 0, 1e15},
    {"asset-days", OPTION_SECONDS, offsetof(daemon_options, asset_days), 0, 36500},
    {"verify-days", OPTION_SECONDS, offsetof(daemon_options, verify_days), 0, 36500},
    {"log-format", OPTION_LOG_FORMAT, offsetof(daemon_options, log_format), 0, LOG_FORMAT_COUNT},
    {"log-level", OPTION_LOG_LEVEL, offsetof(daemon_options, log_level), 0, LOG_LEVEL_COUNT},
    {"executor", OPTION_TEXT, offsetof(daemon_options, executor), 0, 0},
    {"slurm-jobs", OPTION_COUNT, offsetof(daemon_options, slurm_jobs), 1, 1024},
    {"slurm-partition", OPTION_TEXT, offsetof(daemon_options, slurm_partition), 0, 0},
    {"slurm-account", OPTION_TEXT, offsetof(daemon_options, slurm_account), 0, 0},
    {"slurm-constraint", OPTION_TEXT, offsetof(daemon_options, slurm_constraint), 0, 0},
    {"slurm-gres", OPTION_TEXT, offsetof(daemon_options, slurm_gres), 0, 0},
    {"slurm-time", OPTION_SECONDS, offsetof(daemon_options, slurm_time), 0, 31536000},
    {"slurm-poll-seconds", OPTION_SECONDS, offsetof(daemon_options, slurm_poll_seconds), 0.1, 600},
    {"slurm-signal-seconds", OPTION_SECONDS, offsetof(daemon_options, slurm_signal_seconds), 1, 65535},
    {"allow-remote", OPTION_FLAG, offsetof(daemon_options, allow_remote), 0, 0},
    {"no-auth", OPTION_FLAG, offsetof(daemon_options, no_auth), 0, 0},
    {"allow-network-filesystem", OPTION_FLAG, offsetof(daemon_options, allow_network_filesystem), 0, 0},
};
enum { option_count = sizeof table / sizeof *table };

const char *daemon_help(void)
{
  return "screed " SCR_VERSION
         " - the laboratory as a service: takes scenes over HTTP, runs them, shows them live.\n\n  screed [options]          then open the "
         "address it prints\n\n  --data DIR                where jobs and their recordings live, made if missing   [./data]\n  --listen "
         "ADDRESS          address to listen on                                    [127.0.0.1]\n  --port N                  port; 0 takes "
         "a free one and prints it                  [8080]\n  --host NAME[,NAME]        further names people reach it by (behind a "
         "proxy)\n  --allow-remote            listen beyond this machine although plain HTTP can be read on the way\n  --no-auth           "
         "      require no token: anyone who reaches the port may do everything\n  --slots N                 jobs run at once              "
         "                          [1]\n  --threads N               threads of one job; 0: up to cores / slots, by its work [0]\n  "
         "--memory BYTES            most memory one job may need; 512M and 4G work too      [4G]\n  --recording BYTES         most bytes "
         "one job's recording may come to              [16G]\n  --disk-reserve BYTES      no job is taken or started while the data's disk "
         "has less free  [256M]\n  --worker PATH             the worker program                                      [scree-worker beside "
         "screed]\n  --max-attempts N          attempts at a job whose worker dies                    [3]\n  --checkpoint-seconds S    "
         "seconds between checkpoints                             [10]\n  --lease-seconds S         a worker silent for longer is killed, "
         "its job retried   [60]\n  --drain-seconds S         on SIGTERM wait so long for workers to checkpoint       [30]\n  "
         "--request-seconds S       longest time a request may take to arrive               [60]\n  --total-memory BYTES      all running "
         "jobs together; 0: nine tenths of the machine [0]\n  --total-threads N         of all running jobs together; 0: slots * threads   "
         "     [0]\n  --queue N                 most jobs waiting                                       [10000]\n  --viewers N             "
         "  most live viewers at once                               [512]\n  --connections N           most HTTP connections at once; more "
         "are answered 503    [1024]\n  --connections-per-address N  most of one address; 0: a quarter of all, from this machine all [0]\n "
         " --asset-bytes BYTES       longest file a scene may refer to, and all of one scene  [256M]\n  --asset-quota BYTES       all "
         "files that scenes refer to                          [16G]\n  --asset-days DAYS         one that no job needs is kept so long; 0: "
         "for ever      [30]\n  --verify-days DAYS        read each finished recording over so often, in the background; 0: never [7]\n  "
         "--executor NAME[,NAME]    where jobs run: local, slurm; those that name none go to the first [local]\n  --slurm-jobs N           "
         " jobs at Slurm at once, waiting ones counted             [64]\n  --slurm-partition NAME, --slurm-account NAME, "
         "--slurm-constraint TEXT, --slurm-gres TEXT,\n  --slurm-time S  for jobs that give none\n  --slurm-signal-seconds S  a job saves "
         "its checkpoint so long before its limit     [60]\n  --slurm-poll-seconds S    between two looks at Slurm's queue                 "
         "     [5]\n  --log-format text|json    lines of the log on standard error: for people, or JSON objects [text]\n  --log-level "
         "LEVEL         debug (every request), info, warning or error           [info]\n  --slow-request-seconds S  a request that takes "
         "longer is logged                   [1]\n  --allow-network-filesystem  take a data directory on NFS or the like (SQLite's locks "
         "may fail there)\n  --check                   check the data directory, the port and the worker, print what was found, and end\n  "
         "--help, --version\n\nEvery option can be given by the environment too: SCREE_PORT=9000, SCREE_ALLOW_REMOTE=1. The command line "
         "wins.\nSIGTERM and SIGINT end it: workers checkpoint, their jobs go on at the next start. A second one doesn't wait.\n\nExit "
         "codes: 0 ended on request; 1 something failed while it ran; 2 bad usage; 3 the port or address can't be had;\n4 the data "
         "directory can't be used; 5 another screed uses it; 6 the worker program is missing.\n";
}

static const option *find_option(const char *name, size_t length)
{
  for (size_t i = 0; i < option_count; i++)
    if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) return &table[i];
  return NULL;
}

/* A number with an optional K, M, G or T for bytes. False when it is none or out of range. */
static bool read_number(const option *o, const char *text, double *value)
{
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || errno != 0 || !isfinite(*value)) return false;
  if (o->kind == OPTION_BYTES && *end) {
    static const char suffixes[] = "KMGT";
    const char *found = strchr(suffixes, toupper((unsigned char)*end));
    if (!found) return false;
    for (const char *s = suffixes; s <= found; s++) *value *= 1024.0;
    end++;
  }
  if (*end || *value < o->low || *value > o->high) return false;
  return o->kind == OPTION_SECONDS || floor(*value) == *value;
}

static const char *format_name(unsigned format)
{
  return log_format_name((log_format)format);
}

static const char *level_name(unsigned level)
{
  return log_level_name((log_level)level);
}

/* One of the names of a log's formats or levels. */
static scr_status set_choice(const option *o, const char *source, const char *text, void *field, scr_error *error)
{
  const char *(*name_of)(unsigned) = o->kind == OPTION_LOG_FORMAT ? format_name : level_name;
  char names[80] = "";
  for (unsigned i = 0; name_of(i); i++) {
    if (strcmp(name_of(i), text) == 0) return memcpy(field, &i, sizeof i), SCR_OK;
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : name_of(i + 1) ? ", " : " or ", name_of(i));
  }
  return scr_fail(error, SCR_BAD_USAGE, NULL, "%s is '%.60s'; it must be %s", source, text, names);
}

static scr_status set_option(daemon_options *options, const option *o, const char *source, const char *text, scr_error *error)
{
  char *field = (char *)options + o->offset;
  double number;
  if (o->kind == OPTION_TEXT) {
    if (!text[0]) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s is empty", source);
    memcpy(field, &text, sizeof text);
    return SCR_OK;
  }
  if (o->kind == OPTION_LOG_FORMAT || o->kind == OPTION_LOG_LEVEL) return set_choice(o, source, text, field, error);
  if (o->kind == OPTION_FLAG) {
    bool on = strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
    bool off = strcmp(text, "0") == 0 || strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || !text[0];
    if (!on && !off) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s is '%.60s'; it must be 1 or 0", source, text);
    memcpy(field, &on, sizeof on);
    return SCR_OK;
  }
  if (!read_number(o, text, &number))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%s is '%.60s'; it must be a %s from %.15g to %.15g", source, text,
                    o->kind == OPTION_SECONDS ? "number" : "whole number", o->low, o->high);
  if (o->kind == OPTION_SECONDS) {
    memcpy(field, &number, sizeof number);
  } else if (o->kind == OPTION_BYTES) {
    uint64_t bytes = (uint64_t)number;
    memcpy(field, &bytes, sizeof bytes);
  } else {
    unsigned count = (unsigned)number;
    memcpy(field, &count, sizeof count);
  }
  return SCR_OK;
}

/* ── all problems at once, a line each ── */

static void add_problem(scr_error *all, const scr_error *one)
{
  all->code = one->code;
  if (all->message[0]) strncat(all->message, "\n", sizeof all->message - 1 - strlen(all->message));
  strncat(all->message, one->message, sizeof all->message - 1 - strlen(all->message));
}

static void read_environment(daemon_options *options, scr_error *problems)
{
  for (size_t i = 0; i < option_count; i++) {
    char name[64];
    scr_error error = {0};
    snprintf(name, sizeof name, "SCREE_%s", table[i].name);
    for (char *c = name; *c; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    const char *text = getenv(name);
    if (text && set_option(options, &table[i], name, text, &error) != SCR_OK) add_problem(problems, &error);
  }
}

/* Reads argument *index and, when it needs one, its value. */
static scr_status read_argument(int argc, char *const *argv, int *index, daemon_options *options, scr_error *error)
{
  const char *argument = argv[*index];
  if (strcmp(argument, "--check") == 0) return options->action = DAEMON_CHECK, SCR_OK;
  if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) return options->action = DAEMON_HELP, SCR_OK;
  if (strcmp(argument, "--version") == 0) return options->action = DAEMON_VERSION, SCR_OK;
  size_t length = strcspn(argument, "=");
  const option *o = strncmp(argument, "--", 2) == 0 && length > 2 ? find_option(argument + 2, length - 2) : NULL;
  if (!o) {
    if (*argument == '-' && *index + 1 < argc && *argv[*index + 1] != '-') ++*index; /* what was to be its value is no second problem */
    return scr_fail(error, SCR_BAD_USAGE, NULL, "unknown option '%.100s'; screed --help lists them", argument);
  }
  const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
  if (!value && o->kind == OPTION_FLAG) value = "1";
  if (!value && *index + 1 < argc) value = argv[++*index];
  if (!value) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s needs a value; screed --help says which", argument);
  char source[64];
  snprintf(source, sizeof source, "--%s", o->name);
  return set_option(options, o, source, value, error);
}

static scr_status check_listen(const daemon_options *options, scr_error *error)
{
  if (options->action > DAEMON_CHECK || options->allow_remote || http_address_is_loopback(options->listen)) return SCR_OK;
  return scr_fail(
      error, SCR_BAD_USAGE, NULL,
      "--listen %.60s can be reached from other machines over plain HTTP: whoever reads it on the way has the token and can run jobs. "
      "Reach a loopback address by `ssh -L 8080:127.0.0.1:8080 HOST` instead, or add --allow-remote if the network is trusted",
      options->listen);
}

scr_status daemon_options_read(int argc, char *const *argv, daemon_options *options, scr_error *error)
{
  lab_config defaults = lab_config_default();
  *options = (daemon_options){.action = DAEMON_RUN,
                              .data = "data",
                              .listen = "127.0.0.1",
                              .port = 8080,
                              .slots = 1,
                              .max_attempts = (unsigned)defaults.max_attempts,
                              .viewers = 512,
                              .queue = (unsigned)defaults.queue_limit,
                              .connections = 1024,
                              .disk_reserve = defaults.disk_reserve_bytes,
                              .checkpoint_seconds = defaults.checkpoint_seconds,
                              .lease_seconds = defaults.lease_seconds,
                              .drain_seconds = 30.0,
                              .request_seconds = 60.0,
                              .slow_request_seconds = 1.0,
                              .slurm_jobs = defaults.slurm_slots,
                              .slurm_poll_seconds = defaults.slurm_poll_seconds,
                              .slurm_signal_seconds = defaults.slurm_signal_seconds,
                              .verify_days = defaults.verify_days,
                              .asset_bytes = defaults.limits.asset_bytes,
                              .asset_quota = defaults.asset_quota,
                              .asset_days = defaults.asset_days,
                              .log_format = LOG_FORMAT_TEXT,
                              .log_level = LOG_LEVEL_INFO};
  scr_error problems = {0}, one = {0};
  read_environment(options, &problems);
  for (int i = 1; i < argc; i++)
    if (read_argument(argc, argv, &i, options, &one) != SCR_OK) add_problem(&problems, &one);
  if (check_listen(options, &one) != SCR_OK) add_problem(&problems, &one);
  if (problems.code != SCR_OK && error) *error = problems;
  return problems.code;
}
