/* Lists of jobs: any filter in any order, a page at a time, in time that does not grow with the number of jobs.
 *
 * One index walks the candidates in the order wanted; the conditions it does not know are a column `fits` of the statement, so that this
 * code counts the candidates looked at in vain and ends the page after LOOK_LIMIT of them. The walk is that of
 *   words            job_text, which walks in the order of numbers; few matches are sorted when another order is wanted
 *   a tag            job_tag (key, value, job)
 *   a user           job_user
 *   states, method   job_method_state, job_state or job_method, one branch for each state, merged
 *   another order    the index of that order, in two branches: those with the cursor's value and a later number, then the other values */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/store/store_internal.h"

enum { LOOK_LIMIT = 1000, LOOK_LIMIT_WORDS = 300, SORT_LIMIT = 1000, WORD_LIMIT = 8, WORDS_BYTES = 512, SQL_BYTES = 6000, BIND_LIMIT = 64 };
enum { STATE_COUNT = JOB_CANCELLED + 1, ALL_STATES = (1 << (JOB_CANCELLED + 1)) - 1 };

static const struct {
  const char *name, *column;
  char letter;
} orders[LAB_ORDER_COUNT] = {[LAB_BY_NUMBER] = {"created", "id", 'c'},
                             [LAB_BY_NAME] = {"name", "name", 'n'},
                             [LAB_BY_PRIORITY] = {"priority", "priority", 'p'},
                             [LAB_BY_END] = {"ended", "ended", 'e'}};

const char *lab_order_name(lab_order order)
{
  return (unsigned)order < LAB_ORDER_COUNT ? orders[order].name : "unknown";
}

/* ── where a page begins ──────────────────────────────────────────────────────────────────────────────────────── */

/* The last job of the page before: pages go on behind it. */
typedef struct position {
  bool given;
  int64_t id, number;        /* of the job; its value when the order is by a number */
  char text[LAB_NAME_BYTES]; /* its value when the order is by name */
} position;

/* "nd.12.68656c6c6f": order, direction, number, value; texts as hexadecimal digits. */
static void write_cursor(const lab_query *query, const position *at, char cursor[LAB_CURSOR_BYTES])
{
  int used =
      snprintf(cursor, LAB_CURSOR_BYTES, "%c%c.%lld.", orders[query->order].letter, query->descending ? 'd' : 'a', (long long)at->id);
  if (query->order != LAB_BY_NAME) {
    snprintf(cursor + used, LAB_CURSOR_BYTES - (size_t)used, "%lld", (long long)at->number);
    return;
  }
  for (const char *c = at->text; *c && used + 3 <= LAB_CURSOR_BYTES; c++)
    used += snprintf(cursor + used, LAB_CURSOR_BYTES - (size_t)used, "%02x", (unsigned)(unsigned char)*c);
}

static bool read_hexadecimal(const char *digits, char *text, size_t capacity)
{
  static const char known[] = "0123456789abcdef";
  size_t length = strlen(digits);
  if (length % 2 != 0 || length / 2 >= capacity || strspn(digits, known) != length) return false;
  for (size_t i = 0; i < length; i += 2)
    text[i / 2] = (char)(unsigned char)(16 * (strchr(known, digits[i]) - known) + (strchr(known, digits[i + 1]) - known));
  text[length / 2] = 0;
  return true;
}

static bool parse_cursor(const lab_query *query, position *at)
{
  const char *text = query->cursor;
  char *end;
  if (text[0] != orders[query->order].letter || text[1] != (query->descending ? 'd' : 'a') || text[2] != '.') return false;
  at->id = strtoll(text + 3, &end, 10);
  if (end == text + 3 || *end != '.') return false;
  text = end + 1;
  if (query->order == LAB_BY_NAME) return read_hexadecimal(text, at->text, sizeof at->text);
  at->number = strtoll(text, &end, 10);
  return end != text && *end == 0;
}

static scr_status find_position(const lab_query *query, position *at, scr_error *error)
{
  *at = (position){0};
  if (query->cursor) {
    at->given = parse_cursor(query, at);
    if (!at->given)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the cursor '%.60s' is not one of this list in this order: begin without one",
                      query->cursor);
  } else if (query->before > 0 && query->order == LAB_BY_NUMBER && query->descending)
    *at = (position){.given = true, .id = query->before, .number = query->before};
  return SCR_OK;
}

/* ── the statement ────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct builder {
  char sql[SQL_BYTES];
  size_t used;
  struct {
    const char *text; /* NULL: the number */
    int64_t number;
  } values[BIND_LIMIT];
  int value_count;
} builder;

static void add(builder *b, const char *text)
{
  int length = snprintf(b->sql + b->used, sizeof b->sql - b->used, "%s", text);
  if (length > 0) b->used += (size_t)length < sizeof b->sql - b->used ? (size_t)length : sizeof b->sql - 1 - b->used;
}

static void add_number(builder *b, int64_t number)
{
  if (b->value_count == BIND_LIMIT) return;
  b->values[b->value_count].text = NULL;
  b->values[b->value_count++].number = number;
}

static void add_text(builder *b, const char *text)
{
  if (b->value_count == BIND_LIMIT) return;
  b->values[b->value_count++].text = text;
}

/* What the query asks, taken apart. */
typedef struct plan {
  const lab_query *query;
  position at;
  char words[WORDS_BYTES]; /* for MATCH; "" when no text is asked for */
  unsigned states;         /* 0: all */
  bool sorted;             /* few words' matches, sorted */
} plan;

/* The beginnings of words, each in quotes: nothing in them is syntax. */
static void quote_words(const char *text, char words[WORDS_BYTES])
{
  size_t used = 0;
  int count = 0;
  words[0] = 0;
  while (text && *text && count < WORD_LIMIT) {
    text += strspn(text, " \t\r\n");
    size_t length = strcspn(text, " \t\r\n");
    bool sayable = false;
    for (size_t i = 0; i < length && !sayable; i++) sayable = isalnum((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80;
    if (sayable && used + 2 * length + 6 < WORDS_BYTES) {
      used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%s\"", used ? " " : "");
      for (size_t i = 0; i < length; i++)
        if (text[i] != '"') words[used++] = text[i];
      words[used++] = '"';
      words[used++] = '*';
      words[used] = 0;
      count++;
    }
    text += length;
  }
}

static const char *beyond(const plan *p)
{
  return p->query->descending ? " < ?" : " > ?";
}

static const char *direction(const plan *p)
{
  return p->query->descending ? " DESC" : "";
}

static int64_t first_number(const plan *p)
{
  return p->at.given ? p->at.id : p->query->descending ? INT64_MAX : 0;
}

static void add_states(builder *b, unsigned states)
{
  const char *separator = " IN ('";
  add(b, "job.state");
  for (int state = 0; state < STATE_COUNT; state++) {
    if (!(states & 1U << state)) continue;
    add(b, separator);
    add(b, lab_job_state_name((lab_job_state)state));
    separator = "', '";
  }
  add(b, "')");
}

/* The conditions that the walk does not know: 1 when the job is wanted. @param words the text among them  @param first_tag of those left */
static void add_fits(builder *b, const plan *p, bool words, size_t first_tag)
{
  add(b, "1");
  if (p->states) {
    add(b, " AND ");
    add_states(b, p->states);
  }
  if (p->query->method) {
    add(b, " AND job.method = ?");
    add_text(b, p->query->method);
  }
  if (p->query->user) {
    add(b, " AND job.user = ?");
    add_text(b, p->query->user);
  }
  for (size_t i = first_tag; i < p->query->tag_count; i++) {
    add(b, " AND EXISTS (SELECT 1 FROM job_tag AS also WHERE also.key = ? AND also.value = ? AND also.job = job.id)");
    add_text(b, p->query->tags[i].key);
    add_text(b, p->query->tags[i].value);
  }
  if (words && p->words[0]) {
    add(b, " AND EXISTS (SELECT 1 FROM job_text WHERE job_text MATCH ? AND job_text.rowid = job.id)");
    add_text(b, p->words);
  }
}

static void walk_words(builder *b, const plan *p)
{
  add(b, "SELECT job.id, 0, ");
  add_fits(b, p, false, 0);
  add(b, " FROM job_text CROSS JOIN job ON job.id = job_text.rowid WHERE job_text MATCH ? AND job_text.rowid");
  add_text(b, p->words);
  add(b, beyond(p));
  add_number(b, first_number(p));
  add(b, " ORDER BY job_text.rowid");
  add(b, direction(p));
}

/* All matches are few: fetched, sorted, and begun behind the cursor. */
static void walk_sorted(builder *b, const plan *p)
{
  const char *column = orders[p->query->order].column;
  add(b, "SELECT job.id, job.");
  add(b, column);
  add(b, ", ");
  add_fits(b, p, false, 0);
  add(b, " FROM job_text CROSS JOIN job ON job.id = job_text.rowid WHERE job_text MATCH ?");
  add_text(b, p->words);
  if (p->at.given) {
    add(b, " AND (job.");
    add(b, column);
    add(b, p->query->descending ? ", job.id) < (?, ?)" : ", job.id) > (?, ?)");
    if (p->query->order == LAB_BY_NAME)
      add_text(b, p->at.text);
    else
      add_number(b, p->at.number);
    add_number(b, p->at.id);
  }
  add(b, " ORDER BY job.");
  add(b, column);
  add(b, direction(p));
  add(b, ", job.id");
  add(b, direction(p));
}

static void walk_tag(builder *b, const plan *p)
{
  add(b, "SELECT job.id, 0, ");
  add_fits(b, p, false, 1);
  add(b, " FROM job_tag CROSS JOIN job ON job.id = job_tag.job WHERE key = ? AND value = ? AND job_tag.job");
  add_text(b, p->query->tags[0].key);
  add_text(b, p->query->tags[0].value);
  add(b, beyond(p));
  add_number(b, first_number(p));
  add(b, " ORDER BY job_tag.job");
  add(b, direction(p));
}

/* Its index has no jobs whose user nobody said: the statement says so too, or it would not be used. */
static void walk_user(builder *b, const plan *p)
{
  add(b, "SELECT job.id, 0, ");
  add_fits(b, p, false, 0);
  add(b, " FROM job WHERE job.user = ? AND job.user <> '' AND job.id");
  add_text(b, p->query->user);
  add(b, beyond(p));
  add_number(b, first_number(p));
  add(b, " ORDER BY job.id");
  add(b, direction(p));
}

static void add_branch(builder *b, const plan *p, const char *state)
{
  add(b, "SELECT id, 0, 1 FROM job WHERE ");
  if (p->query->method) {
    add(b, "method = ? AND ");
    add_text(b, p->query->method);
  }
  if (state) {
    add(b, "state = '");
    add(b, state);
    add(b, "' AND ");
  }
  add(b, "id");
  add(b, beyond(p));
  add_number(b, first_number(p));
}

static void walk_numbers(builder *b, const plan *p)
{
  const char *separator = "";
  if (!p->states) add_branch(b, p, NULL);
  for (int state = 0; state < STATE_COUNT && p->states; state++) {
    if (!(p->states & 1U << state)) continue;
    add(b, separator);
    add_branch(b, p, lab_job_state_name((lab_job_state)state));
    separator = " UNION ALL ";
  }
  add(b, " ORDER BY 1");
  add(b, direction(p));
}

static void add_value(builder *b, const plan *p)
{
  if (p->query->order == LAB_BY_NAME)
    add_text(b, p->at.text);
  else
    add_number(b, p->at.number);
}

static void walk_order(builder *b, const plan *p)
{
  const char *column = orders[p->query->order].column;
  for (int branch = p->at.given ? 0 : 1; branch < 2; branch++) {
    add(b, "SELECT id, ");
    add(b, column);
    add(b, ", ");
    add_fits(b, p, true, 0);
    add(b, " FROM job");
    if (p->at.given) {
      add(b, " WHERE ");
      add(b, column);
      add(b, branch == 0 ? " = ? AND id" : beyond(p));
      add_value(b, p);
      if (branch == 0) {
        add(b, beyond(p));
        add_number(b, p->at.id);
        add(b, " UNION ALL ");
      }
    }
  }
  add(b, " ORDER BY 2");
  add(b, direction(p));
  add(b, ", 1");
  add(b, direction(p));
}

/* ── the page ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether so few jobs have the words that they can be sorted. */
static scr_status count_matches(store_connection *reader, plan *p, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql = "SELECT count(*) FROM (SELECT rowid FROM job_text WHERE job_text MATCH ?1 LIMIT ?2)";
  SCR_TRY(connection_query(reader, sql, &statement, error));
  bind_text(statement, 1, p->words);
  sqlite3_bind_int(statement, 2, SORT_LIMIT + 1);
  SCR_TRY(connection_step(reader, statement, &row, error));
  p->sorted = row && sqlite3_column_int(statement, 0) <= SORT_LIMIT;
  connection_done(statement);
  return SCR_OK;
}

static scr_status choose_walk(store_connection *reader, plan *p, builder *b, int *looks, scr_error *error)
{
  bool other_order = p->query->order != LAB_BY_NUMBER;
  *looks = LOOK_LIMIT;
  if (other_order && p->words[0]) SCR_TRY(count_matches(reader, p, error));
  if (p->sorted)
    walk_sorted(b, p);
  else if (other_order) {
    walk_order(b, p);
    if (p->words[0]) *looks = LOOK_LIMIT_WORDS;
  } else if (p->words[0])
    walk_words(b, p);
  else if (p->query->tag_count)
    walk_tag(b, p);
  else if (p->query->user)
    walk_user(b, p);
  else
    walk_numbers(b, p);
  return SCR_OK;
}

static void bind_values(sqlite3_stmt *statement, const builder *b)
{
  for (int i = 0; i < b->value_count; i++) {
    if (b->values[i].text)
      bind_text(statement, i + 1, b->values[i].text);
    else
      sqlite3_bind_int64(statement, i + 1, b->values[i].number);
  }
}

static void take_position(sqlite3_stmt *statement, const plan *p, position *at)
{
  at->id = sqlite3_column_int64(statement, 0);
  if (p->query->order == LAB_BY_NAME)
    read_text(statement, 1, at->text, sizeof at->text);
  else
    at->number = p->query->order == LAB_BY_NUMBER ? at->id : sqlite3_column_int64(statement, 1);
}

typedef struct job_page {
  lab_job *jobs; /* [capacity] */
  size_t capacity, count;
  position last; /* of the walk */
  bool more;     /* there is something behind it */
} job_page;

/* Fetches jobs in the walk's order. The page ends when it is full and one more was seen, or after too many looks in vain. */
static scr_status take_page(store_connection *reader, sqlite3_stmt *statement, const plan *p, int looks, job_page *page, scr_error *error)
{
  for (int vain = 0;;) {
    bool row, found = false;
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (!row) return SCR_OK;
    bool fits = sqlite3_column_int(statement, 2) != 0;
    page->more = (fits && page->count == page->capacity) || vain >= looks;
    if (page->more) return SCR_OK;
    take_position(statement, p, &page->last);
    if (!fits) vain++;
    if (fits) SCR_TRY(fetch_job(reader, page->last.id, &page->jobs[page->count], NULL, &found, error));
    page->count += found;
  }
}

static scr_status list_jobs(store_connection *reader, const lab_query *query, lab_job *jobs, size_t capacity, size_t *count, char *cursor,
                            scr_error *error)
{
  plan p = {.query = query, .states = (query->states & ALL_STATES) == ALL_STATES ? 0 : query->states & ALL_STATES};
  builder b = {.used = 0};
  int looks;
  sqlite3_stmt *statement;
  SCR_TRY(find_position(query, &p.at, error));
  quote_words(query->text, p.words);
  SCR_TRY(choose_walk(reader, &p, &b, &looks, error));
  SCR_TRY(connection_query(reader, b.sql, &statement, error));
  bind_values(statement, &b);
  job_page page = {.jobs = jobs, .capacity = capacity};
  scr_status status = take_page(reader, statement, &p, looks, &page, error);
  *count = page.count;
  connection_done(statement);
  if (status == SCR_OK && page.more) write_cursor(query, &page.last, cursor);
  return status;
}

scr_status store_list(job_store *store, const lab_query *query, lab_job *jobs, size_t capacity, size_t *count,
                      char cursor[LAB_CURSOR_BYTES], scr_error *error)
{
  *count = 0;
  cursor[0] = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = list_jobs(reader, query, jobs, capacity, count, cursor, error);
  store_return_reader(store, reader);
  return status;
}
