/* What a scene says for methods: each struct is bound by the method's own table. */
#include "scene/bind/bind_block.h"

#include <stdlib.h>
#include <string.h>

static size_t count_methods(const binding *binder)
{
  size_t count = 0;
  while (binder->methods(count)) count++;
  return count;
}

/* The next entry of a list with room for every method. NULL without memory. */
static struct section_block *add_block(binding *binder, section_blocks *held, const scr_method_description *method, size_t size)
{
  void *values = calloc(1, size ? size : 1);
  if (!values || !held->blocks) {
    binder->no_memory = true;
    free(values);
    return NULL;
  }
  struct section_block *block = &held->blocks[held->count++];
  *block = (struct section_block){.method = method, .values = values};
  return block;
}

static void start_blocks(binding *binder, section_blocks *held, size_t capacity)
{
  held->blocks = calloc(capacity, sizeof *held->blocks);
  if (!held->blocks) binder->no_memory = true;
}

/* ── options ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* One method's options; `value` NULL: all defaults. */
static void bind_options_of(binding *binder, const scr_method_description *method, const section_member *member, const path *place,
                            const json_t *value, section_blocks *options)
{
  struct section_block *block = add_block(binder, options, method, method->options_size);
  section form = section_of_options(method, member->help);
  if (block) bind_section(binder, &form, place, value, block->values);
}

/* Options by methods' names: every block that is given is checked, and the chosen method's is made when it is missing. */
static void bind_options_by_method(binding *binder, const section_member *member, const path *place, const json_t *value,
                                   section_blocks *options, size_t method_count)
{
  const char *key;
  json_t *block;
  section_member *names = calloc(method_count + 1, sizeof *names);
  if (!names) {
    binder->no_memory = true;
    return;
  }
  for (size_t i = 0; i < method_count; i++) names[i].name = binder->methods(i)->name;
  section form = {.members = names, .member_count = method_count};
  json_object_foreach((json_t *)(uintptr_t)value, key, block)
  {
    bool known = false;
    for (size_t i = 0; i < method_count && !known; i++) known = strcmp(names[i].name, key) == 0;
    if (!known) bind_unknown_key(binder, &form, NULL, place, key, block);
  }
  for (size_t i = 0; i < method_count; i++) {
    const scr_method_description *method = binder->methods(i);
    block = json_object_get(value, method->name);
    if (block || method == binder->method) bind_options_of(binder, method, member, &(path){place, method->name, 0}, block, options);
  }
  free(names);
}

void bind_options(binding *binder, const section_member *member, const path *place, const json_t *value, void *base)
{
  section_blocks options = {0};
  size_t method_count = count_methods(binder);
  for (size_t i = 0; i < method_count; i++)
    if (json_object_get(value, binder->methods(i)->name)) options.by_method = true;
  start_blocks(binder, &options, method_count + 1);
  if (options.by_method)
    bind_options_by_method(binder, member, place, value, &options, method_count);
  else if (binder->method) /* options of an unknown method can't be judged */
    bind_options_of(binder, binder->method, member, place, value, &options);
  memcpy((char *)base + member->offset, &options, sizeof options);
}

/* ── keys among those of an object ──────────────────────────────────────────────────────────────────────────────── */

static struct section_block *add_own(binding *binder, section_blocks *held, const scr_method_description *method, const scr_block *table)
{
  bool *given = calloc(table->count + 1, sizeof *given);
  struct section_block *block = given ? add_block(binder, held, method, table->size) : NULL;
  if (block) {
    block->given = given;
    return block;
  }
  binder->no_memory = true;
  free(given);
  return NULL;
}

/* Where an object inherits, null says no more than the key's absence. */
static bool bind_key(binding *binder, const section *form, const scr_param *param, const path *place, const json_t *object, void *values)
{
  char help[SECTION_HELP_BYTES];
  if (!form->block_inherits) return bind_param(binder, param, place, object, values);
  scr_param inherited = section_inherited(param, help);
  return bind_param(binder, &inherited, place, object, values) && !json_is_null(json_object_get(object, param->name));
}

static void bind_chosen(binding *binder, const section *form, const path *place, const json_t *object, section_blocks *held)
{
  scr_block table = section_table(binder->method, form->block);
  struct section_block *block = add_own(binder, held, binder->method, &table);
  for (size_t i = 0; block && i < table.count; i++)
    block->given[i] = bind_key(binder, form, &table.params[i], place, object, block->values);
}

/* What the object gives of another method, number `index`. */
static void bind_other(binding *binder, const section *form, const path *place, const json_t *object, size_t index, section_blocks *held)
{
  const scr_method_description *method = binder->methods(index);
  scr_block chosen = {0}, table = section_table(method, form->block);
  struct section_block *block = NULL;
  if (binder->method) chosen = section_table(binder->method, form->block);
  for (size_t i = 0; i < table.count; i++) {
    const char *name = table.params[i].name;
    bool taken = section_table_param(&chosen, name) || section_first_method(binder->methods, index, form->block, name) < index;
    if (taken || !json_object_get(object, name)) continue;
    if (!block) block = add_own(binder, held, method, &table);
    if (!block) return;
    block->given[i] = bind_key(binder, form, &table.params[i], place, object, block->values);
  }
}

void bind_block(binding *binder, const section *form, const path *place, const json_t *object, void *base)
{
  section_blocks held = {0};
  start_blocks(binder, &held, count_methods(binder) + 1);
  for (size_t i = 0; binder->methods(i); i++)
    if (binder->methods(i) == binder->method)
      bind_chosen(binder, form, place, object, &held);
    else
      bind_other(binder, form, place, object, i, &held);
  memcpy((char *)base + form->block_offset, &held, sizeof held);
}

void bind_block_invalid(binding *binder, const section *form, void *base)
{
  section_blocks held = {0};
  if (!binder->method) return;
  scr_block table = section_table(binder->method, form->block);
  start_blocks(binder, &held, 1);
  struct section_block *block = add_own(binder, &held, binder->method, &table);
  for (size_t i = 0; block && i < table.count; i++) bind_default(&table.params[i], (char *)block->values + table.params[i].offset, true);
  memcpy((char *)base + form->block_offset, &held, sizeof held);
}

bool bind_block_knows(const binding *binder, const section *form, const char *key)
{
  for (size_t i = 0; form->block && binder->methods(i); i++) {
    scr_block table = section_table(binder->methods(i), form->block);
    if (section_table_param(&table, key)) return true;
  }
  return false;
}

void bind_block_names(const binding *binder, const section *form, text_builder *names, suggestion *search)
{
  for (size_t i = 0; form->block && binder->methods(i); i++) {
    const scr_method_description *method = binder->methods(i);
    scr_block table = section_table(method, form->block);
    for (size_t k = 0; k < table.count; k++) {
      const char *name = table.params[k].name;
      bool first = section_first_method(binder->methods, i, form->block, name) == i;
      if (binder->method ? method == binder->method : first)
        bind_known(names, search, name);
      else
        suggestion_consider(search, name);
    }
  }
}
