/* What every walk over sections needs: sizes, the chosen variant, clean-up. */
#include "scene/bind/section.h"

#include <stdio.h>
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
  case SCR_PARAM_ASSET: return sizeof(scr_asset_reference);
  }
  return 0;
}

const section *section_variant_of(const section *form, const void *base)
{
  int tag;
  memcpy(&tag, (const char *)base + form->tag_offset, sizeof tag);
  return form->variants[tag].section;
}

void *section_values_of(const section_blocks *blocks, const scr_method_description *method)
{
  for (size_t i = 0; i < blocks->count; i++)
    if (blocks->blocks[i].method == method) return blocks->blocks[i].values;
  return NULL;
}

section section_of_options(const scr_method_description *method, const char *help)
{
  return (section){.title = "Options", .help = help, .params = method->params, .param_count = method->param_count};
}

scr_block section_table(const scr_method_description *method, section_block_kind kind)
{
  switch (kind) {
  case BLOCK_MATERIAL: return method->material;
  case BLOCK_SURFACE: return method->surface;
  case BLOCK_SPECIMEN: return method->specimen;
  case BLOCK_NONE: break;
  }
  return (scr_block){0};
}

const scr_param *section_table_param(const scr_block *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->params[i].name, name) == 0) return &table->params[i];
  return NULL;
}

size_t section_first_method(scr_method_list methods, size_t end, section_block_kind kind, const char *name)
{
  for (size_t i = 0; i < end; i++) {
    scr_block table = section_table(methods(i), kind);
    if (section_table_param(&table, name)) return i;
  }
  return end;
}

scr_param section_inherited(const scr_param *param, char help[static SECTION_HELP_BYTES])
{
  scr_param inherited = *param;
  snprintf(help, SECTION_HELP_BYTES, "%s; null: that of the default law", param->help);
  inherited.flags = (param->flags & ~(unsigned)SCR_PARAM_REQUIRED) | SCR_PARAM_AUTOMATIC;
  inherited.help = help;
  return inherited;
}

static void release_blocks(void *field)
{
  section_blocks held;
  memcpy(&held, field, sizeof held);
  for (size_t i = 0; i < held.count; i++) {
    free(held.blocks[i].values);
    free(held.blocks[i].given);
  }
  free(held.blocks);
  held = (section_blocks){0};
  memcpy(field, &held, sizeof held);
}

static void release_member(const section_member *member, char *field, size_t count)
{
  if (member->kind == MEMBER_OBJECT) {
    section_release(member->section, field);
    return;
  }
  if (member->kind == MEMBER_METHOD) return;
  if (member->kind == MEMBER_OPTIONS) {
    release_blocks(field);
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
  if (form->block) release_blocks((char *)base + form->block_offset);
  for (size_t i = 0; i < form->member_count; i++) {
    const section_member *member = &form->members[i];
    size_t count = 0;
    if (member->kind == MEMBER_LIST) memcpy(&count, (const char *)base + member->count_offset, sizeof count);
    release_member(member, (char *)base + member->offset, count);
  }
}
