/* Shapes, rigs and parts that a scene asks for, against those that its method declares. */
#include "scene/check/abilities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/check/check.h"
#include "scene/layout/layout.h"
#include "scene/part.h"
#include "scene/shape/shape.h"

/* By bit of scr_abilities.lacks. */
static const char *const lack_names[] = {"free", "grip_turn"};

static const section *union_of(section_choice choice)
{
  return choice == CHOICE_SHAPE ? &shape_section : &rig_section;
}

bool abilities_offer(const scr_method_description *method, section_choice choice, int kind)
{
  const scr_abilities *can = &method->can;
  if (choice == CHOICE_SHAPE) return shape_is_taken((scr_shape_kind)kind, can->shapes, can->shapes_as);
  return choice != CHOICE_RIG || can->rigs == 0 || (can->rigs >> kind & 1u);
}

/* Words in a row: "a, b or c". */
static void add_word(text_builder *text, size_t index, size_t count, const char *word)
{
  text_add_format(text, "%s%s", index == 0 ? "" : index + 1 < count ? ", " : " or ", word);
}

bool abilities_methods(text_builder *text, scr_method_list methods, section_choice choice, int kind)
{
  size_t count = 0, all = 0, index = 0;
  const scr_method_description *method;
  for (size_t i = 0; (method = methods(i)) != NULL; i++) {
    all += !method->scenes_of;
    count += !method->scenes_of && abilities_offer(method, choice, kind);
  }
  for (size_t i = 0; (method = methods(i)) != NULL; i++)
    if (!method->scenes_of && abilities_offer(method, choice, kind)) add_word(text, index++, count, method->name);
  return count == all;
}

/* Names of all forms that a method takes. */
static void add_forms(text_builder *text, const scr_method_description *method, section_choice choice)
{
  const section *form = union_of(choice);
  size_t count = 0, index = 0;
  for (size_t k = 0; k < form->variant_count; k++) count += abilities_offer(method, choice, (int)k);
  for (size_t k = 0; k < form->variant_count; k++)
    if (abilities_offer(method, choice, (int)k)) add_word(text, index++, count, form->variants[k].name);
}

/* Why a method does not do something, and what to do instead, in its words; NULL: it does not say. */
static const char *reason_of(const scr_method_description *method, const char *name)
{
  for (const scr_substitute *s = method->can.reasons; s && s->key; s++)
    if (strcmp(s->key, name) == 0) return s->instead;
  return NULL;
}

/* One form that the method does not take; what it takes, and which methods take it. */
static void refuse_form(const scr_checker *c, check_place place, section_choice choice, int kind, const char *subject)
{
  const scr_method_description *method = c->scene->method;
  const char *name = union_of(choice)->variants[kind].name, *what = choice == CHOICE_SHAPE ? "shape" : "rig",
             *reason = reason_of(method, name);
  text_builder allowed = {0}, others = {0};
  add_forms(&allowed, method, choice);
  abilities_methods(&others, c->scene->methods, choice, kind);
  char *can = text_take(&allowed), *takers = text_take(&others);
  check_refuse_words(c, place, name, can ? can : "", "%s %s %s, which method %s does not take: %s%suse another %s%s%s", subject, what, name,
                     method->name, reason ? reason : "", reason ? "; or " : "", what, takers && *takers ? ", or method " : "",
                     takers ? takers : "");
  free(can);
  free(takers);
}

static void check_parts(const scr_checker *c)
{
  const scr_method_description *method = c->scene->method;
  scr_part parts[SCR_PART_LIMIT];
  const char *free_parts = reason_of(method, "free"), *turns = reason_of(method, "grip_turn");
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++) {
    bool turned = parts[p].turn && parts[p].kind == SCR_PART_GRIP;
    if (parts[p].is_free && method->can.lacks & SCR_LACKS_FREE_PARTS)
      check_refuse(c, check_at("%s", parts[p].program_pointer), NAN, "an obstacle that stands or is driven",
                   "method %s does not move %s by what presses it: %s", method->name, parts[p].name,
                   free_parts ? free_parts : "take `free` out");
    if (turned && method->can.lacks & SCR_LACKS_GRIP_TURN)
      check_refuse(c, check_at("/rig/turn"), NAN, "no turn", "method %s can't turn what grips hold: %s", method->name,
                   turns ? turns : "leave turn out");
  }
}

void check_abilities(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    char subject[96];
    if (abilities_offer(scene->method, CHOICE_SHAPE, (int)scene->specimens[i].shape.kind)) continue;
    snprintf(subject, sizeof subject, "specimen '%s' has the", scene->specimens[i].name);
    refuse_form(c, check_at("/specimens/%zu/shape/type", i), CHOICE_SHAPE, (int)scene->specimens[i].shape.kind, subject);
  }
  if (!abilities_offer(scene->method, CHOICE_RIG, (int)scene->rig.kind))
    refuse_form(c, check_at("/rig/type"), CHOICE_RIG, (int)scene->rig.kind, "the scene has the");
  check_parts(c);
}

/* "gpu:0": a word of lower-case letters, a colon, a number of one to three digits. */
static bool names_device(const char *name)
{
  size_t word = strspn(name, "abcdefghijklmnopqrstuvwxyz"), digits = name[word] == ':' ? strspn(name + word + 1, "0123456789") : 0;
  return word > 0 && digits > 0 && digits <= 3 && name[word + 1 + digits] == '\0';
}

static void check_ranks(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  char ranks[24];
  snprintf(ranks, sizeof ranks, "%lld", (long long)scene->run.ranks);
  if (scene->run.ranks <= 1) return;
  if (!scene->method->can.on_ranks)
    check_refuse_words(c, check_at("/run/ranks"), ranks, "1",
                       "run.ranks is %s, but runs of method %s can't be shared among processes: leave run.ranks out", ranks,
                       scene->method->name);
  else if (strcmp(scene->run.device, RUN_ON_PROCESSOR) != 0)
    check_refuse_words(c, check_at("/run/ranks"), ranks, "1",
                       "run.ranks is %s with run.device '%.40s', but ranks compute on processors: leave one of the two out", ranks,
                       scene->run.device);
}

void check_run_choice(const scr_scene *scene, scr_problems *problems)
{
  const scr_checker c = {scene, problems, problems->count};
  check_ranks(&c);
  const char *device = scene->run.device;
  const scr_method_description *method = scene->method;
  if (strcmp(device, RUN_ON_PROCESSOR) == 0) return;
  if (strcmp(device, RUN_ON_ANY) != 0 && !names_device(device))
    check_refuse_words(&c, check_at("/run/device"), device, "cpu, auto, or a device such as gpu:0",
                       "run.device is '%s', which is no device's name: take cpu, auto, or a name that `scree devices` lists", device);
  else if (!method->can.on_device)
    check_refuse_words(&c, check_at("/run/device"), device, "cpu", "method %s runs on the processor alone: leave run.device out",
                       method->name);
}

static void write_forms(json_writer *writer, const char *key, const scr_method_description *method, section_choice choice)
{
  const section *form = union_of(choice);
  jw_key(writer, key);
  jw_begin_row(writer);
  for (size_t k = 0; k < form->variant_count; k++)
    if (abilities_offer(method, choice, (int)k)) jw_string(writer, form->variants[k].name);
  jw_end_row(writer);
}

void abilities_write(json_writer *writer, const scr_method_description *method)
{
  write_forms(writer, "shapes", method, CHOICE_SHAPE);
  write_forms(writer, "rigs", method, CHOICE_RIG);
  jw_key(writer, "lacks");
  jw_begin_row(writer);
  for (size_t k = 0; k < sizeof lack_names / sizeof lack_names[0]; k++)
    if (method->can.lacks >> k & 1u) jw_string(writer, lack_names[k]);
  jw_end_row(writer);
  jw_key(writer, "on_device");
  jw_boolean(writer, method->can.on_device);
  jw_key(writer, "on_ranks");
  jw_boolean(writer, method->can.on_ranks);
}
