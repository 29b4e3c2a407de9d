/* Readers of lines with '|' between their fields, and the words. What comes last in a line may hold '|' itself. */
#include "server/executor/slurm/slurm_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ── names ── */

void slurm_name_write(const slurm_name *name, char text[SLURM_NAME_BYTES])
{
  snprintf(text, SLURM_NAME_BYTES, "scree-%s-%lld-%lld", name->lab, (long long)name->job, (long long)name->token);
}

/* Digits from *at on, up to `end`. */
static bool read_whole(const char **at, const char *end, int64_t *number)
{
  const char *begin = *at;
  *number = 0;
  while (*at < end && isdigit((unsigned char)**at)) {
    if (*number > (INT64_MAX - 9) / 10) return false;
    *number = 10 * *number + (*(*at)++ - '0');
  }
  return *at > begin;
}

bool slurm_name_read(const char *text, size_t length, slurm_name *name)
{
  static const char prefix[] = "scree-", digits[] = "0123456789abcdef";
  const size_t fixed = sizeof prefix - 1 + SLURM_LAB_DIGITS + 1;
  const char *at = text + fixed, *end = text + length;
  *name = (slurm_name){.job = 0};
  if (length <= fixed || memcmp(text, prefix, sizeof prefix - 1) != 0 || text[fixed - 1] != '-') return false;
  for (size_t i = 0; i < SLURM_LAB_DIGITS; i++) {
    char digit = text[sizeof prefix - 1 + i];
    if (!digit || !strchr(digits, digit)) return false;
    name->lab[i] = digit;
  }
  if (!read_whole(&at, end, &name->job) || at == end || *at++ != '-') return false;
  return read_whole(&at, end, &name->token) && at == end && name->job > 0 && name->token > 0;
}

/* ── fields ── */

typedef struct field {
  const char *text;
  size_t length;
} field;

/* The next field of a line; the last has all that is left. */
static field next_field(const char **at, const char *end, bool last)
{
  field found = {*at, (size_t)(end - *at)};
  const char *bar = last || found.length == 0 ? NULL : memchr(*at, '|', found.length);
  if (bar) found.length = (size_t)(bar - *at);
  *at = bar ? bar + 1 : end;
  return found;
}

static void copy_printable(field from, char *text, size_t capacity)
{
  size_t length = from.length < capacity - 1 ? from.length : capacity - 1;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)from.text[i];
    text[i] = c >= 32 && c < 127 ? (char)c : '?';
  }
  text[length] = 0;
}

static bool read_number(field from, int64_t *number)
{
  const char *at = from.text, *end = from.text + from.length;
  return read_whole(&at, end, number) && at == end;
}

/* ── squeue ── */

static slurm_phase phase_of(const char *state)
{
  static const char *const over[] = {"COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
                                     "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"};
  for (size_t i = 0; i < sizeof over / sizeof *over; i++)
    if (strcmp(state, over[i]) == 0) return SLURM_OVER;
  if (strcmp(state, "RUNNING") == 0 || strcmp(state, "SIGNALING") == 0 || strcmp(state, "STAGE_OUT") == 0) return SLURM_RUNNING;
  return strcmp(state, "COMPLETING") == 0 ? SLURM_ENDING : SLURM_WAITING; /* states of later versions too: it is there, and not over */
}

bool slurm_entry_read(const char *line, size_t length, slurm_entry *entry)
{
  const char *at = line, *end = line + length;
  field fields[6];
  *entry = (slurm_entry){.id = 0};
  for (size_t i = 0; i < 6; i++) fields[i] = next_field(&at, end, i == 5);
  if (!read_number(fields[0], &entry->id) || entry->id <= 0 || fields[1].length == 0) return false;
  if (!slurm_name_read(fields[4].text, fields[4].length, &entry->name) && !slurm_name_read(fields[5].text, fields[5].length, &entry->name))
    return false;
  copy_printable(fields[1], entry->state, sizeof entry->state);
  copy_printable(fields[2], entry->node, sizeof entry->node);
  copy_printable(fields[3], entry->reason, sizeof entry->reason);
  entry->phase = phase_of(entry->state);
  return true;
}

executor_cause slurm_end_of(const slurm_entry *entry, char why[EXECUTOR_WHY_BYTES])
{
  static const struct {
    const char *state;
    executor_cause cause;
    const char *words;
  } known[] = {
      {"CANCELLED", EXECUTOR_CANCELLED, "somebody cancelled it at Slurm (scancel)"},
      {"TIMEOUT", EXECUTOR_INTERRUPTED, "Slurm's time limit was reached"},
      {"DEADLINE", EXECUTOR_INTERRUPTED, "its Slurm deadline had passed"},
      {"PREEMPTED", EXECUTOR_INTERRUPTED, "Slurm preempted it for a job of higher priority"},
      {"NODE_FAIL", EXECUTOR_INTERRUPTED, "Slurm reports that its node failed"},
      {"BOOT_FAIL", EXECUTOR_INTERRUPTED, "Slurm reports that its node did not start"},
      {"REVOKED", EXECUTOR_INTERRUPTED, "Slurm took it back"},
      {"OUT_OF_MEMORY", EXECUTOR_DIED, "Slurm ended it because it used more memory than it had requested"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(entry->state, known[i].state) != 0) continue;
    snprintf(why, EXECUTOR_WHY_BYTES, "%s%s%.63s", known[i].words, entry->node[0] ? ", on " : "", entry->node);
    return known[i].cause;
  }
  snprintf(why, EXECUTOR_WHY_BYTES, "it ended without a report; Slurm says %.23s (%.60s)%s%.63s", entry->state, entry->reason,
           entry->node[0] ? ", on " : "", entry->node);
  return EXECUTOR_DIED;
}

/* Beginnings of Slurm's words. Those not listed are shown as they are. */
bool slurm_waiting_reason(const slurm_entry *entry, char words[EXECUTOR_REASON_BYTES])
{
  static const struct {
    const char *reason, *words;
    bool for_ever;
  } known[] = {
      {"None", "waits for its turn at Slurm", false},
      {"Priority", "waits at Slurm behind others (Priority)", false},
      {"Resources", "waits at Slurm for free processors or memory (Resources)", false},
      {"PartitionConfig", "will never start: asks for more than its Slurm partition has (PartitionConfig)", true},
      {"PartitionNodeLimit", "will never start: asks for more nodes than its partition gives (PartitionNodeLimit)", true},
      {"PartitionTimeLimit", "will never start: asks for more time than its partition gives (PartitionTimeLimit)", true},
      {"BadConstraints", "will never start: no Slurm node meets its constraints (BadConstraints)", true},
      {"InvalidAccount", "will never start: Slurm does not know its account (InvalidAccount)", true},
      {"InvalidQOS", "will never start: Slurm does not know its quality of service (InvalidQOS)", true},
      {"JobHeldAdmin", "held by Slurm's administrator (JobHeldAdmin): scontrol release lets it go on", true},
      {"JobHeldUser", "held at Slurm (JobHeldUser): scontrol release lets it go on", true},
      {"JobHoldMaxRequeue", "held by Slurm after too many starts (JobHoldMaxRequeue)", true},
      {"launch failed requeued held", "held by Slurm after its start failed: see the node's log", true},
      {"PartitionDown", "waits: its Slurm partition is down (PartitionDown)", false},
      {"PartitionInactive", "waits: its Slurm partition takes no jobs (PartitionInactive)", false},
      {"ReqNodeNotAvail", "waits: Slurm's nodes are down or reserved (ReqNodeNotAvail)", false},
      {"Nodes required for job are DOWN", "waits: Slurm's nodes are down, drained or reserved", false},
      {"BeginTime", "waits at Slurm for its time to begin (BeginTime)", false},
      {"Licenses", "waits at Slurm for a licence (Licenses)", false},
      {"Reservation", "waits at Slurm for its reservation (Reservation)", false},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strncmp(entry->reason, known[i].reason, strlen(known[i].reason)) != 0) continue;
    snprintf(words, EXECUTOR_REASON_BYTES, "%s", known[i].words);
    return known[i].for_ever;
  }
  bool for_ever = strstr(entry->reason, "PerJob") != NULL || strstr(entry->reason, "NotAllowed") != NULL;
  if (strcmp(entry->state, "PENDING") == 0)
    snprintf(words, EXECUTOR_REASON_BYTES, "%s Slurm (%.50s)", for_ever ? "will never start: a limit of" : "waits at", entry->reason);
  else
    snprintf(words, EXECUTOR_REASON_BYTES, "%s by Slurm",
             strcmp(entry->state, "CONFIGURING") == 0 ? "its node is being prepared"
             : strcmp(entry->state, "SUSPENDED") == 0 ? "suspended"
                                                      : "held up");
  return for_ever;
}

/* ── sbatch ── */

slurm_refusal slurm_refusal_of(const char *errors)
{
  static const char *const away[] = {"Unable to contact",  "Socket timed out", "Connection refused", "Zero Bytes were transmitted",
                                     "Connection timed",   "Communication",    "No route to host",   "authentication",
                                     "Protocol",           "resolve",          "in standby mode",    "Munge",
                                     "Unable to establish"};
  static const char *const later[] = {"temporarily", "AssocMaxSubmitJobLimit", "QOSMaxSubmitJob", "MaxSubmit", "job count limit",
                                      "try again",   "out of memory",          "Rate limit"};
  for (size_t i = 0; i < sizeof away / sizeof *away; i++)
    if (strcasestr(errors, away[i])) return SLURM_AWAY;
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    if (strcasestr(errors, later[i])) return SLURM_LATER;
  return errors[0] ? SLURM_REFUSED : SLURM_AWAY; /* without a word it was killed: nothing is known */
}

int64_t slurm_number_read(const char *output)
{
  const char *at = output, *end = output + strcspn(output, ";\n");
  int64_t number = 0;
  return read_whole(&at, end, &number) && at == end ? number : 0;
}

/* ── sinfo ── */

/* "3-12:30:00", "1:00:00", "30:00", "infinite": seconds, 0 without a limit. */
static bool read_duration(field from, double *seconds)
{
  *seconds = 0;
  if (from.length >= 8 && strncmp(from.text, "infinite", 8) == 0) return true;
  const char *at = from.text, *end = from.text + from.length;
  int64_t number = 0, days = 0;
  int parts = 0;
  while (at < end && parts < 4) {
    if (!read_whole(&at, end, &number) || number > 100000000) return false;
    if (at < end && *at == '-' && parts == 0 && days == 0)
      days = number;
    else {
      *seconds = *seconds * 60 + (double)number;
      parts++;
    }
    if (at < end) at++;
  }
  if (parts == 1 && days == 0) *seconds *= 60; /* "30" alone is minutes */
  if (parts == 1 && days > 0) *seconds *= 3600;
  if (parts == 2 && days > 0) *seconds *= 60;
  *seconds += (double)days * 86400;
  return parts > 0 && at == end;
}

/* "allocated/idle/other/total" */
static bool read_processors(field from, executor_partition *partition)
{
  const char *at = from.text, *end = from.text + from.length;
  int64_t numbers[4] = {0};
  for (size_t i = 0; i < 4; i++) {
    if (!read_whole(&at, end, &numbers[i]) || numbers[i] > 1000000000) return false;
    if (i < 3 && (at == end || *at++ != '/')) return false;
  }
  partition->idle_processors = (unsigned)numbers[1];
  partition->processors = (unsigned)numbers[3];
  return at == end;
}

bool slurm_partition_read(const char *line, size_t length, executor_partition *partition)
{
  const char *at = line, *end = line + length;
  field fields[6];
  int64_t nodes = 0, megabytes = 0;
  *partition = (executor_partition){.up = false};
  for (size_t i = 0; i < 6; i++) fields[i] = next_field(&at, end, i == 5);
  field name = fields[0];
  partition->is_default = name.length > 0 && name.text[name.length - 1] == '*';
  if (partition->is_default) name.length--;
  copy_printable(name, partition->name, sizeof partition->name);
  partition->up = fields[1].length == 2 && strncmp(fields[1].text, "up", 2) == 0;
  if (fields[5].length > 0 && fields[5].text[fields[5].length - 1] == '+') fields[5].length--; /* nodes differ: the smallest */
  if (!read_number(fields[4], &nodes) || nodes > 1000000000 || !read_number(fields[5], &megabytes)) return false;
  partition->nodes = (unsigned)nodes;
  partition->memory_bytes = (double)megabytes * 1048576.0;
  return name.length > 0 && read_duration(fields[2], &partition->time_limit) && read_processors(fields[3], partition);
}

bool slurm_word_is_plain(const char *text, bool expression)
{
  if (*text == '-') return false;
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr(expression ? "_-.+&|,*()[]@:=" : "_-.,+@:", *c)) return false;
  return true;
}
