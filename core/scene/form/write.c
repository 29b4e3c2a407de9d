/* The one writer of scene JSON: the mirror of bind/bind.c. */
#include "scene/form/write.h"

#include <stdio.h>
#include <string.h>

/* By its digest, so that it is the same file wherever the scene is read. */
static void write_asset(json_writer *writer, const void *field)
{
  scr_asset_reference reference;
  char text[sizeof reference.digest + 8];
  memcpy(&reference, field, sizeof reference);
  snprintf(text, sizeof text, "sha256:%s", reference.digest);
  if (reference.index < 0)
    jw_null(writer);
  else
    jw_string(writer, text);
}

void write_value(json_writer *writer, const scr_param *param, const void *field)
{
  double number;
  int64_t whole;
  int choice;
  scr_vec3 vector;
  switch (param->kind) {
  case SCR_PARAM_NUMBER:
    memcpy(&number, field, sizeof number);
    jw_number(writer, number);
    break;
  case SCR_PARAM_INTEGER:
    memcpy(&whole, field, sizeof whole);
    if (whole == -1 && (param->flags & SCR_PARAM_AUTOMATIC))
      jw_null(writer);
    else
      jw_integer(writer, whole);
    break;
  case SCR_PARAM_BOOLEAN: jw_boolean(writer, *(const bool *)field); break;
  case SCR_PARAM_CHOICE:
    memcpy(&choice, field, sizeof choice);
    jw_string(writer, param->choices[choice]);
    break;
  case SCR_PARAM_VECTOR:
    memcpy(&vector, field, sizeof vector);
    if (isnan(vector.x)) {
      jw_null(writer);
      break;
    }
    jw_begin_row(writer);
    jw_number(writer, vector.x);
    jw_number(writer, vector.y);
    jw_number(writer, vector.z);
    jw_end_row(writer);
    break;
  case SCR_PARAM_TEXT: jw_string(writer, field); break;
  case SCR_PARAM_ASSET: write_asset(writer, field); break;
  }
}

static void write_list(json_writer *writer, const section_member *member, const scr_method_description *method, const char *base)
{
  char *items;
  size_t count;
  memcpy(&items, base + member->offset, sizeof items);
  memcpy(&count, base + member->count_offset, sizeof count);
  if (member->kind == MEMBER_VALUES) {
    jw_begin_row(writer);
    for (size_t i = 0; i < count; i++) write_value(writer, member->value, items + i * param_size(member->value));
    jw_end_row(writer);
  } else {
    jw_begin_list(writer);
    for (size_t i = 0; i < count; i++) write_section(writer, member->section, method, items + i * member->element_size);
    jw_end_list(writer);
  }
}

static void write_options(json_writer *writer, const section_member *member, const scr_method_description *method, const char *base)
{
  section_blocks options;
  memcpy(&options, base + member->offset, sizeof options);
  if (options.by_method) jw_begin_object(writer);
  for (size_t i = 0; i < options.count; i++) {
    section form = section_of_options(options.blocks[i].method, member->help);
    if (options.by_method) jw_key(writer, options.blocks[i].method->name);
    if (options.by_method || options.blocks[i].method == method) write_section(writer, &form, method, options.blocks[i].values);
  }
  if (options.by_method) jw_end_object(writer);
}

/* The keys of the method that the scene runs under, then those kept for others. */
static void write_block(json_writer *writer, const section *form, const scr_method_description *method, const char *base)
{
  section_blocks held;
  memcpy(&held, base + form->block_offset, sizeof held);
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < held.count; i++) {
      const struct section_block *block = &held.blocks[i];
      scr_block table = section_table(block->method, form->block);
      bool chosen = block->method == method;
      if (chosen != (pass == 0)) continue;
      for (size_t k = 0; k < table.count; k++) {
        if (!chosen && !block->given[k]) continue;
        jw_key(writer, table.params[k].name);
        write_value(writer, &table.params[k], (const char *)block->values + table.params[k].offset);
      }
    }
}

static void write_text(json_writer *writer, const char *field)
{
  char *text;
  memcpy(&text, field, sizeof text);
  jw_string(writer, text ? text : "");
}

static void write_member(json_writer *writer, const section_member *member, const scr_method_description *method, const char *base)
{
  if (member->kind == MEMBER_OPTIONS && !method) return;
  if (member->kind == MEMBER_OBJECT && member->count_offset && !*((const bool *)base + member->count_offset)) return;
  jw_key(writer, member->name);
  switch (member->kind) {
  case MEMBER_OBJECT: write_section(writer, member->section, method, base + member->offset); break;
  case MEMBER_LIST:
  case MEMBER_VALUES: write_list(writer, member, method, base); break;
  case MEMBER_TEXT: write_text(writer, base + member->offset); break;
  case MEMBER_METHOD:
    if (method)
      jw_string(writer, method->name);
    else
      jw_null(writer);
    break;
  case MEMBER_OPTIONS: write_options(writer, member, method, base); break;
  }
}

void write_section(json_writer *writer, const section *form, const scr_method_description *method, const void *base)
{
  jw_begin_object(writer);
  if (form->variants) {
    int tag;
    memcpy(&tag, (const char *)base + form->tag_offset, sizeof tag);
    jw_key(writer, "type");
    jw_string(writer, form->variants[tag].name);
    form = form->variants[tag].section;
  }
  for (size_t i = 0; i < form->param_count; i++) {
    if (form->params[i].flags & SCR_PARAM_RETIRED) continue;
    jw_key(writer, form->params[i].name);
    write_value(writer, &form->params[i], (const char *)base + form->params[i].offset);
  }
  if (form->block) write_block(writer, form, method, base);
  for (size_t i = 0; i < form->member_count; i++) write_member(writer, &form->members[i], method, base);
  jw_end_object(writer);
}
