/* Whether what people write on jobs can be kept: names, tags, notes, priority. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "server/lab/lab_internal.h"

/* UTF-8 without control characters; line breaks only where they are allowed. */
static bool is_clean(const char *text, bool lines)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if ((*c < 32 && !(lines && (*c == '\n' || *c == '\t' || *c == '\r'))) || *c == 127) return false;
  json_t *value = json_string(text); /* checks the UTF-8 */
  json_decref(value);
  return value != NULL;
}

static void check_name(const char *name, scr_problems *problems)
{
  static const char allowed[] = "1 to 63 bytes of text without control characters or '/'";
  size_t length = strlen(name);
  if (length < 1 || length >= LAB_NAME_BYTES || strchr(name, '/') || name[0] == '.' || !is_clean(name, false))
    (void)scr_problems_add(problems, "/name", "", allowed, "the name has %zu bytes; it must be %s, and not begin with a dot", length,
                           allowed);
}

static void check_notes(const char *notes, scr_problems *problems)
{
  size_t length = strlen(notes);
  if (length >= LAB_NOTES_BYTES || !is_clean(notes, true))
    (void)scr_problems_add(problems, "/notes", "", "at most 2047 bytes of text",
                           "the notes have %zu bytes; they must be at most %d bytes of text", length, LAB_NOTES_BYTES - 1);
}

/* Characters of UTF-8: bytes that go on with one are not counted. The C1 controls are 0x80 to 0x9f, in two bytes of which the first is
 * 0xc2. */
static void check_user(const char *user, scr_problems *problems)
{
  static const char allowed[] = "1 to 64 printable characters";
  size_t characters = 0;
  bool printable = is_clean(user, false);
  for (const unsigned char *c = (const unsigned char *)user; *c; c++) {
    characters += (*c & 0xc0) != 0x80;
    printable = printable && !(c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
  }
  if (characters < 1 || characters > LAB_USER_CHARACTERS || !printable || user[strspn(user, " ")] == 0)
    (void)scr_problems_add(problems, "/user", "", allowed, "the user has %zu characters; it must be %s on one line", characters, allowed);
}

static void check_tag(const char *key, const json_t *value, scr_problems *problems)
{
  char pointer[LAB_TAG_KEY_BYTES + 16];
  const char *text = json_string_value(value);
  size_t length = strlen(key);
  bool fine = length >= 1 && length < LAB_TAG_KEY_BYTES &&
              strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
  snprintf(pointer, sizeof pointer, "/tags/%.60s", key);
  if (!fine)
    (void)scr_problems_add(problems, pointer, "", "1 to 63 letters, digits, '_', '.' or '-'",
                           "'%.60s' is not a valid tag; a tag is 1 to 63 letters, digits, '_', '.' or '-'", key);
  if (!text || strlen(text) >= LAB_TAG_VALUE_BYTES || !is_clean(text, false))
    (void)scr_problems_add(problems, pointer, "", "a text of at most 255 bytes",
                           "the tag '%.60s' must be a text of at most %d bytes on one line", key, LAB_TAG_VALUE_BYTES - 1);
}

static void check_tags(const char *tags, scr_problems *problems)
{
  json_t *object = json_loads(tags, JSON_REJECT_DUPLICATES, NULL);
  size_t count = json_object_size(object);
  const char *key;
  json_t *value;
  if (!json_is_object(object))
    (void)scr_problems_add(problems, "/tags", "", "an object of texts", "the tags must be an object of texts");
  else if (count > LAB_TAG_LIMIT || strlen(tags) >= LAB_TAGS_BYTES)
    (void)scr_problems_add(problems, "/tags", "", "at most 16 tags of 1023 bytes together",
                           "%zu tags take %zu bytes; at most %d tags of %d bytes together are allowed", count, strlen(tags), LAB_TAG_LIMIT,
                           LAB_TAGS_BYTES - 1);
  json_object_foreach(object, key, value)
  {
    check_tag(key, value, problems);
  }
  json_decref(object);
}

void lab_check_change(const lab_change *change, scr_problems *problems)
{
  if (change->name) check_name(change->name, problems);
  if (change->tags) check_tags(change->tags, problems);
  if (change->notes) check_notes(change->notes, problems);
  if (change->user) check_user(change->user, problems);
  if (change->priority && (*change->priority < -LAB_PRIORITY_LIMIT || *change->priority > LAB_PRIORITY_LIMIT)) {
    char given[24];
    snprintf(given, sizeof given, "%d", *change->priority);
    (void)scr_problems_add(problems, "/priority", given, "-100 to 100", "the priority is %d; it must be -%d to %d", *change->priority,
                           LAB_PRIORITY_LIMIT, LAB_PRIORITY_LIMIT);
  }
}
