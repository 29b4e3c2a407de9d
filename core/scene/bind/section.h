/** Sections: how the objects and lists of a scene nest.
 *
 *  A scr_param (param.h) declares one plain value. A section declares a JSON object: its plain values, its members (objects, lists)
 *  and, for a tagged union, its variants. Binder (bind.c), writer (form/write.c), schema (form/schema.c) and clean-up walk the same
 *  sections, so nothing about a scene's form is written down twice. The sections themselves are in layout/
 *
 *      section "shape" ── tag_offset: kind        JSON: { "type": "box", "size": [1, 1, 1] }
 *        ├─ variant "sphere"        ── params: radius
 *        ├─ variant "hollow_sphere" ── params: radius, inner_radius
 *        └─ variant "box"           ── params: size */
#ifndef SCREE_SCENE_SECTION_H
#define SCREE_SCENE_SECTION_H

#include <stdbool.h>

#include "scene/scene.h"

typedef struct section section;

enum { SECTION_HELP_BYTES = 400 };

typedef enum section_member_kind {
  MEMBER_OBJECT, /**< field: a struct, described by `section` */
  MEMBER_LIST,   /**< field: pointer to an array of structs described by `section`; size_t length at `count_offset` */
  MEMBER_VALUES, /**< field: pointer to an array of values described by `value`; size_t length at `count_offset` */
  MEMBER_TEXT,   /**< field: char *, owned; NULL for "", at most `maximum_count` bytes */
  MEMBER_METHOD, /**< field: const scr_method_description *; the JSON value is the method's name */
  MEMBER_OPTIONS /**< field: section_blocks; the method named before it says whose options they are */
} section_member_kind;

typedef struct section_member {
  const char *name; /**< JSON key */
  section_member_kind kind;
  bool required;
  const section *section; /**< MEMBER_OBJECT, MEMBER_LIST */
  const scr_param *value; /**< MEMBER_VALUES: type and range of each; its name and offset are not used */
  size_t offset;          /**< of the field */
  size_t
      count_offset; /**< lists: of the length; MEMBER_OBJECT: 0, or of a bool: whether the scene has the object, which it may do without */
  size_t element_size;                 /**< MEMBER_LIST: bytes of the struct */
  size_t minimum_count, maximum_count; /**< lists: allowed length; text: bytes */
  const char *help;
  unsigned lacks; /**< bit of scr_abilities.lacks: no key of methods that lack it */
} section_member;

/** One form of a tagged union; its index in the section is the value of the tag's enum. */
typedef struct section_variant {
  const char *name; /**< value of the key "type" */
  const section *section;
} section_variant;

/** Of which form of a union methods declare whether they take it (scr_abilities). */
typedef enum section_choice { CHOICE_FREE, CHOICE_SHAPE, CHOICE_RIG } section_choice;

/** Which of a method's tables has further keys of an object. */
typedef enum section_block_kind { BLOCK_NONE, BLOCK_MATERIAL, BLOCK_SURFACE, BLOCK_SPECIMEN } section_block_kind;

struct section {
  const char *title; /**< "Hollow sphere" */
  const char *help;
  const scr_param *params;
  size_t param_count;
  section_block_kind block; /**< keys of the object besides `params`, declared by methods; field: section_blocks */
  size_t block_offset;      /**< of that field */
  bool block_inherits;      /**< keys of the block that are absent or null are as in another object; none is required */
  const section_member *members;
  size_t member_count;
  const section_variant *variants; /**< a union's forms, all sharing one struct; a union has no params or members of its own */
  size_t variant_count;
  size_t tag_offset;     /**< of the union's int or enum: index of the variant */
  section_choice choice; /**< of the union: methods may take some forms alone */
  int default_variant;   /**< taken when the whole object is absent; -1: then it must not be absent */
};

/** What a scene says for methods, in structs of theirs.
 *
 *  Options are those of the scene's method, { "horizon": 1 }, or, so that `method` is the one word to change, those of several methods by
 *  their names, { "peridem": { "horizon": 1 }, "bdem": { } }. The keys of a section's block stand in its object beside the others; what the
 *  scene's method does not declare is kept for the first other method that does. The chosen method always has a block, of defaults when the
 *  scene gives none. */
typedef struct section_blocks {
  bool by_method; /**< options: written with the methods' names */
  size_t count;
  struct section_block {
    const scr_method_description *method;
    void *values; /**< the method's struct */
    bool *given;  /**< [parameters of the table] whether the scene says it; NULL in options */
  } * blocks;     /**< [count] each method once, in the order in which methods are offered */
} section_blocks;

/** The struct of a method; NULL when there is none. */
void *section_values_of(const section_blocks *blocks, const scr_method_description *method);

/** The form of one method's options. */
section section_of_options(const scr_method_description *method, const char *help);

/** A method's table of that kind; empty for BLOCK_NONE. */
scr_block section_table(const scr_method_description *method, section_block_kind kind);

/** The parameter of that name, NULL if the table has none. */
const scr_param *section_table_param(const scr_block *table, const char *name);

/** The number, below `end`, of the first method whose table declares a key; `end` if none does. */
size_t section_first_method(scr_method_list methods, size_t end, section_block_kind kind, const char *name);

/** A parameter as an object that inherits has it: not required, null for what the other object says. `help` is filled with the sentence. */
scr_param section_inherited(const scr_param *param, char help[static SECTION_HELP_BYTES]);

/** Bytes a value takes in a struct or an array. */
size_t param_size(const scr_param *param);

/** The variant a bound struct is of. */
const section *section_variant_of(const section *form, const void *base);

/** Frees the lists and blocks of a bound struct, and those of its members. */
void section_release(const section *form, void *base);

#endif
