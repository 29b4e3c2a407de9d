/* What overlaps at the start. A packed body's spheres stick out of its surface by up to half a radius, so bodies that just touch each other
 * or the rig begin with overlaps that are none of theirs: a sphere of 3 mm between platens 3 mm apart would break at once. Their distance
 * at the start is the zero of their gaps instead, for good: nothing pushes until they come nearer. A sphere that is a specimen by itself,
 * and a yarn, have the surfaces that they seem to have, and push as deep as they are put. */
#include "base/memory.h"
#include "methods/bdem/contact/initial_overlap.h"

bool bdem_is_packed(const bdem_filling *filling, const scr_specimen *specimen)
{
  return filling->pair_count > 0 && !bdem_is_weave(&specimen->shape);
}

/* The same of a sphere in a run. */
static bool packed(const bdem_model *model, size_t i)
{
  const bdem_grain *grain = &model->grains[model->grain_of[i]];
  return model->degree[grain->first] > 0 && !bdem_is_weave(&model->scene->specimens[grain->specimen].shape);
}

static scr_status find_pair(const bdem_model *model, const bdem_body *body, bdem_pair *pair, bdem_initial_overlaps *initial,
                            scr_error *error)
{
  scr_vec3 normal;
  double overlap = bdem_pair_overlap(pair, body, &normal);
  bool bodies = packed(model, pair->i) || packed(model, pair->j), apart = model->grain_of[pair->i] != model->grain_of[pair->j];
  if (!(overlap > 0.0) || !bodies || (apart && model->options->allow_initial_contact)) return SCR_OK;
  SCR_TRY(mem_reserve(&initial->pairs, &initial->pair_capacity, initial->pair_count + 1, sizeof *initial->pairs,
                      "the contacts at the start", error));
  pair->reach -= overlap;
  initial->pairs[initial->pair_count++] = (bdem_pair_reach){pair->i, pair->j, pair->reach};
  initial->deepest = fmax(initial->deepest, overlap);
  return SCR_OK;
}

static scr_status find_touch(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, bdem_touch *touch,
                             bdem_initial_overlaps *initial, scr_error *error)
{
  scr_vec3 normal;
  double overlap = bdem_touch_overlap(contacts, touch, body, &normal);
  if (!(overlap > 0.0) || !packed(model, touch->sphere)) return SCR_OK;
  SCR_TRY(mem_reserve(&initial->touches, &initial->touch_capacity, initial->touch_count + 1, sizeof *initial->touches,
                      "the contacts at the start", error));
  touch->reach -= overlap;
  initial->touches[initial->touch_count++] = (bdem_pair_reach){touch->part, touch->sphere, touch->reach};
  initial->deepest = fmax(initial->deepest, overlap);
  return SCR_OK;
}

scr_status bdem_initial_overlaps_find(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts,
                                      bdem_initial_overlaps *initial, scr_error *error)
{
  for (size_t k = 0; k < contacts->pair_count; ++k) SCR_TRY(find_pair(model, body, &contacts->pairs[k], initial, error));
  for (size_t k = 0; k < contacts->touch_count; ++k) SCR_TRY(find_touch(model, body, contacts, &contacts->touches[k], initial, error));
  return SCR_OK;
}

void bdem_initial_overlaps_clear(bdem_initial_overlaps *initial)
{
  mem_free(initial->pairs);
  mem_free(initial->touches);
  *initial = (bdem_initial_overlaps){0};
}
