/* What every walk over sections needs: sizes, the chosen variant, clean-up. */
#include "scene/section.h"

#include <stdlib.h>
#include <string.h>

size_t param_size(const scr_param *param)
{
  switch (param->kind) {
  case SCR_PARAM_NUMBER: return sizeof(double);
  case SCR_PARAM_INTEGER: return sizeof(int64_t);
  case SCR_PARAM_BOOLEAN: return sizeof(bool);
  case SCR_PARAM_CHOICE: return sizeof(int);
  case SCR_PARAM_VECTOR: return sizeof(scr_vec3);
  case SCR_PARAM_TEXT: return (size_t)param->maximum + 1;
  }
  return 0;
}

const section *section_variant_of(const section *form, const void *base)
{
  int tag;
  memcpy(&tag, (const char *)base + form->tag_offset, sizeof tag);
  return form->variants[tag].section;
}

void *section_options_of(const section_options *options, const scr_method_description *method)
{
  for (size_t i = 0; i < options->count; i++)
    if (options->blocks[i].method == method) return options->blocks[i].values;
  return NULL;
}

section section_of_options(const scr_method_description *method, const char *help)
{
  return (section){.title = "Options", .help = help, .params = method->params, .param_count = method->param_count};
}

static void release_options(section_options *options)
{
  for (size_t i = 0; i < options->count; i++) free(options->blocks[i].values);
  free(options->blocks);
  *options = (section_options){0};
}

static void release_member(const section_member *member, char *field, size_t count)
{
  if (member->kind == MEMBER_OBJECT) {
    section_release(member->section, field);
    return;
  }
  if (member->kind == MEMBER_METHOD) return;
  if (member->kind == MEMBER_OPTIONS) {
    section_options options;
    memcpy(&options, field, sizeof options);
    release_options(&options);
    memcpy(field, &options, sizeof options);
    return;
  }
  char *array;
  memcpy(&array, field, sizeof array);
  if (array && member->kind == MEMBER_LIST)
    for (size_t i = 0; i < count; i++) section_release(member->section, array + i * member->element_size);
  free(array);
  array = NULL;
  memcpy(field, &array, sizeof array);
}

void section_release(const section *form, void *base)
{
  if (form->variants) form = section_variant_of(form, base);
  for (size_t i = 0; i < form->member_count; i++) {
    const section_member *member = &form->members[i];
    size_t count = 0;
    if (member->kind == MEMBER_LIST) memcpy(&count, (const char *)base + member->count_offset, sizeof count);
    release_member(member, (char *)base + member->offset, count);
  }
}
