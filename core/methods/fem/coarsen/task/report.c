/* The files of a coarsening:
 *
 *      coarsening/report.md       what was tried and chosen, in tables
 *      coarsening/coarse.patch.json     JSON Patch (RFC 6902) that makes the fine scene the coarse one
 *      coarsening/mode-1.svg ...  pictures of the modes
 *      coarsening/modes.basis     mode basis, where it is asked for */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "methods/fem/coarsen/basis.h"
#include "methods/fem/coarsen/differences.h"
#include "methods/fem/coarsen/pod.h"
#include "methods/fem/coarsen/task/task.h"

static const double frequency_off = 0.05; /* of the fine mesh: beyond it a calibrated mode is told of */

/* The kept cluster whose calibrated frequency is farthest from the fine one's. */
static size_t worst_match(const coarsening_row *row)
{
  size_t worst = 0;
  for (size_t k = 1; k < row->match_count; k++)
    if (fabs(log(coarsening_ratio(row, k))) > fabs(log(coarsening_ratio(row, worst)))) worst = k;
  return worst;
}

char *coarsening_caution(const coarsening_state *s, char text[600])
{
  text[0] = '\0';
  if (s->chosen == SIZE_MAX) {
    const coarsening_row *last = &s->rows[s->plan.count - 1];
    char name[48];
    snprintf(text, 600,
             "no mesh of the %zu tried moves like the fine one (%zu modes): the finest of them, %s, was refused because %s (least match "
             "%.4g, wanted %.4g): try "
             "finer meshes (option meshes), or ask for fewer modes",
             s->plan.count, s->mode_count, fem_plan_name(&s->plan.mesh[s->plan.count - 1], name),
             last->refused ? last->refused : "of nothing", last->least_match, s->options->match);
    return text;
  }
  const coarsening_row *row = &s->rows[s->chosen];
  size_t worst = worst_match(row);
  double ratio = coarsening_ratio(row, worst);
  if (fabs(ratio - 1) <= frequency_off) return text;
  snprintf(
      text, 600,
      "one stiffness scale makes the first mode right and not all others: after it mode %zu (%.4g Hz in the fine mesh) has %.3g times its "
      "frequency; "
      "if that mode matters take a finer mesh, or the element incompatible-modes",
      row->match[worst].first + 1, fem_mode_frequency(&s->fine.modes, row->match[worst].first), ratio);
  return text;
}

/* ── texts ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void add_modes(const coarsening_state *s, text_builder *text)
{
  text_add_string(text, "\n## Modes of the fine mesh\n\n| mode | frequency, Hz | picture |\n|---|---|---|\n");
  for (size_t k = 0; k < s->mode_count; k++)
    text_add_format(text, "| %zu | %.6g | ![mode %zu](mode-%zu.svg) |\n", k + 1, fem_mode_frequency(&s->fine.modes, k), k + 1, k + 1);
}

static double over(double coarse, double fine)
{
  return fine > 0 ? coarse / fine : 0;
}

static void add_meshes(const coarsening_state *s, text_builder *text)
{
  text_add_string(
      text, "\n## Meshes\n\nA match is the modal assurance of a group of modes of about one frequency: 1 where both meshes span the same "
            "space. Stored energy and jump: of the static load case, after scaling, over the fine mesh's; 0 where they were not asked "
            "for.\n\n| mesh | elements | least match | stiffness scale | stored energy | jump | |\n|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < s->plan.count; k++) {
    const coarsening_row *row = &s->rows[k];
    char name[48];
    text_add_format(text, "| %s | %zu | %.5g | %.5g | %.4f | %.4f | %s |\n", fem_plan_name(&s->plan.mesh[k], name), row->hexes,
                    row->least_match, row->scale, over(row->load.energy, s->load.energy), over(row->load.rise, s->load.rise),
                    k == s->chosen  ? "**chosen**"
                    : row->accepted ? "would do too"
                                    : row->refused);
  }
  text_add_string(text,
                  "\n| mesh | modes | frequency, Hz | match | coarse over fine frequency | after scaling |\n|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < s->plan.count; k++)
    for (size_t m = 0; m < s->rows[k].match_count; m++) {
      const fem_match *match = &s->rows[k].match[m];
      char name[48];
      text_add_format(text, "| %s | %zu", fem_plan_name(&s->plan.mesh[k], name), match->first + 1);
      if (match->count > 1) text_add_format(text, " to %zu", match->first + match->count);
      text_add_format(text, " | %.6g | %.5f | %.5f | %.5f |\n", fem_mode_frequency(&s->fine.modes, match->first), match->mac, match->ratio,
                      coarsening_ratio(&s->rows[k], m));
    }
}

/* By how much the chosen mesh is off in the load case. */
static void add_load(const coarsening_state *s, text_builder *text)
{
  const coarsening_answer *own = &s->rows[s->chosen].load, *fine = &s->load;
  if (fine->energy > 0)
    text_add_format(text, "\nIn the static load case it stores %.4g J, **%+.1f %%** beside the fine mesh's %.4g J.\n", own->energy,
                    100 * (over(own->energy, fine->energy) - 1), fine->energy);
  if (fine->rise > 0)
    text_add_format(text, "\nFrom there it jumps %.4g m high (centre of mass), **%+.1f %%** beside the fine mesh's %.4g m.\n", own->rise,
                    100 * (over(own->rise, fine->rise) - 1), fine->rise);
}

static char *report_text(const coarsening_state *s)
{
  text_builder text = {0};
  char name[48], caution[600];
  text_add_format(&text, "# Coarsening of %s\n\nFine mesh: %zu elements, %zu nodes.\n\n", s->scene->name, s->fine.system.hex_count,
                  s->fine.system.node_count);
  if (s->chosen != SIZE_MAX) {
    text_add_format(&text, "**Chosen: %s, %zu elements.** Young's modulus times %.6g: %.6g Pa.",
                    fem_plan_name(&s->plan.mesh[s->chosen], name), s->rows[s->chosen].hexes, s->rows[s->chosen].scale,
                    coarsening_modulus(s));
    if (isnan(coarsening_damping(s)))
      text_add_string(&text, " Damping stays as it is: steps add none of their own, so it means the same on any mesh.\n");
    else
      text_add_format(&text, " Stiffness damping: %.6g s.\n", coarsening_damping(s));
  }
  if (s->chosen != SIZE_MAX) add_load(s, &text);
  coarsening_caution(s, caution);
  if (caution[0]) text_add_format(&text, "\n> %s.\n", caution);
  add_modes(s, &text);
  add_meshes(s, &text);
  return text_take(&text);
}

static void add_change(json_writer *w, const char *path)
{
  jw_begin_object(w);
  jw_key(w, "op"), jw_string(w, "add");
  jw_key(w, "path"), jw_string(w, path);
  jw_key(w, "value");
}

static char *patch_text(const coarsening_state *s)
{
  json_writer w = {0};
  const fem_specimen *mesh = &s->plan.mesh[s->chosen];
  char pointer[64];
  bool divided = !isnan(mesh->divisions.x);
  jw_begin_list(&w);
  add_change(&w, "/specimens/0/divisions");
  if (divided) {
    jw_begin_row(&w);
    jw_number(&w, mesh->divisions.x), jw_number(&w, mesh->divisions.y), jw_number(&w, mesh->divisions.z);
    jw_end_row(&w);
  } else {
    jw_null(&w);
  }
  jw_end_object(&w);
  add_change(&w, "/specimens/0/spacing");
  jw_number(&w, divided ? NAN : mesh->spacing);
  jw_end_object(&w);
  snprintf(pointer, sizeof pointer, "/materials/%u/young_modulus", s->scene->specimens[0].material);
  add_change(&w, pointer);
  jw_number(&w, coarsening_modulus(s));
  jw_end_object(&w);
  if (!isnan(coarsening_damping(s))) {
    snprintf(pointer, sizeof pointer, "/materials/%u/stiffness_damping", s->scene->specimens[0].material);
    add_change(&w, pointer);
    jw_number(&w, coarsening_damping(s));
    jw_end_object(&w);
  }
  jw_end_list(&w);
  return jw_take(&w);
}

/* Modes of the snapshots. @param share of their squares that these hold */
static scr_status snapshot_modes(const scr_sim *sim, fem_modes *modes, double *share, scr_error *error)
{
  const coarsening_state *s = sim->state;
  const fem_system *system = &s->fine.system;
  size_t count = (size_t)s->options->snapshots;
  *share = 1;
  switch ((fem_snapshot_modes)s->options->snapshot_modes) {
  case FEM_SNAPSHOTS_LAST: return fem_last_snapshot_mode(system, s->snapshots, count, modes, error);
  case FEM_SNAPSHOTS_DIFFERENCES:
    return fem_differences_find(system, s->snapshots, count, s->mode_count, sim->execution, modes, share, error);
  case FEM_SNAPSHOTS_DECOMPOSED: break;
  }
  return fem_pod_find(system, s->snapshots, count, s->mode_count, sim->execution, modes, share, error);
}

/* The basis' file. @param share of the snapshots that its modes hold; 1 of vibrations */
static scr_status basis_text(const scr_sim *sim, char **text, double *share, scr_error *error)
{
  const coarsening_state *s = sim->state;
  const coarsening_options *o = s->options;
  const fem_material *material = fem_material_of(s->scene, s->scene->specimens[0].material);
  fem_modes found = {0};
  geo_basis basis = {0};
  text_builder builder = {0};
  *share = 1;
  if (o->snapshots > 0) SCR_TRY(snapshot_modes(sim, &found, share, error));
  const fem_basis_request request = {.system = &s->fine.system,
                                     .mesh = &s->fine.own,
                                     .specimen = &s->scene->specimens[0],
                                     .modes = o->snapshots > 0 ? &found : &s->fine.modes,
                                     .mode_count = o->snapshots > 0 ? found.count : s->mode_count,
                                     .young_modulus = material->young_modulus,
                                     .poisson_ratio = fem_poisson_ratio(material),
                                     .levels = (size_t)o->levels,
                                     .amplitude = o->amplitude,
                                     .snapshot_count = (size_t)o->snapshots,
                                     .snapshots = s->snapshots,
                                     .travel = o->snapshot_modes == FEM_SNAPSHOTS_LAST,
                                     .execution = sim->execution,
                                     .liveness = sim->liveness};
  scr_status status = fem_basis_make(&request, &basis, error);
  if (status == SCR_OK) geo_basis_write(&basis, &builder);
  geo_basis_clear(&basis);
  fem_modes_clear(&found);
  *text = text_take(&builder);
  return status;
}

/* ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status write_text(const void *what, const char *path, scr_error *error)
{
  return scr_write_file(path, what, strlen(what), error);
}

/* @param text freed; NULL: memory ran out */
static scr_status put(scr_sim *sim, const char *name, char *text, scr_error *error)
{
  uint64_t bytes;
  if (!text) return scr_fail_memory(error, name, 0);
  scr_status status = sim_write_file(&sim->files, name, write_text, text, &bytes, error);
  free(text);
  return status;
}

scr_status coarsening_write(scr_sim *sim, scr_error *error)
{
  const coarsening_state *s = sim->state;
  SCR_TRY(put(sim, "coarsening/report.md", report_text(s), error));
  for (size_t k = 0; k < s->mode_count; k++) {
    char name[48];
    snprintf(name, sizeof name, "coarsening/mode-%zu.svg", k + 1);
    SCR_TRY(put(sim, name, coarsening_picture(s, k), error));
  }
  if (s->options->basis) {
    char *text = NULL;
    double share;
    SCR_TRY(basis_text(sim, &text, &share, error));
    if (share < 1 - 1e-3)
      scr_sim_doubt(sim, "snapshots_cut", "the modes of the basis hold %.4g of the snapshots' motion: ask for more modes", share);
    SCR_TRY(put(sim, "coarsening/modes.basis", text, error));
  }
  return s->chosen == SIZE_MAX ? SCR_OK : put(sim, "coarsening/coarse.patch.json", patch_text(s), error);
}
