/* The pieces of a coarsening: modes of the fine mesh, each coarse mesh against them, the choice. */
#include <math.h>

#include "methods/fem/coarsen/task/task.h"

static const double least_scale = 0.02, most_scale = 1.05; /* the spec's bounds: beyond them a mesh is another body */

static fem_law law_of(const coarsening_state *s)
{
  return (fem_law)s->options->fem.law;
}

static size_t at_most(size_t wanted, const fem_model *model)
{
  size_t there = model->free_count > model->rigid ? model->free_count - model->rigid : 0;
  return wanted < there ? wanted : there;
}

scr_status coarsening_find_modes(coarsening_state *s, const scr_liveness *liveness, scr_error *error)
{
  size_t wanted = at_most(s->mode_count + COARSENING_SPARE, &s->fine);
  if (s->mode_count > wanted) s->mode_count = wanted;
  SCR_TRY(fem_modes_find_slowly(&s->fine.system, s->fine.fixed, wanted, liveness, &s->fine.modes, error));
  if (s->options->fem.loading != FEM_LOADING_STATIC) return SCR_OK;
  return coarsening_load(s, fem_specimen_of(s->scene, 0), 1, liveness, &s->load, error);
}

static bool is_off(const coarsening_state *s, double coarse, double fine)
{
  return fine > 0 && !(fabs(coarse / fine - 1) <= s->options->load_tolerance);
}

/* Whether a mesh that has the modes also does in the load case what the fine one does: low modes tell little of a load that bends a foot or
 * presses a contact. */
static scr_status judge_load(const coarsening_state *s, size_t mesh, const scr_liveness *liveness, coarsening_row *row, scr_error *error)
{
  if (!row->accepted || !(s->load.energy > 0)) return SCR_OK;
  scr_status status = coarsening_load(s, &s->plan.mesh[mesh], row->scale, liveness, &row->load, error);
  if (status == SCR_DIVERGED || status == SCR_BAD_SCENE)
    row->refused = "it has no equilibrium under the load, or no motion from there";
  else
    SCR_TRY(status);
  if (!row->refused && is_off(s, row->load.energy, s->load.energy)) row->refused = "the load stores another energy in it";
  if (!row->refused && is_off(s, row->load.rise, s->load.rise)) row->refused = "it jumps to another height";
  row->accepted = !row->refused;
  return SCR_OK;
}

double coarsening_ratio(const coarsening_row *row, size_t match)
{
  return row->match[match].ratio * sqrt(row->scale);
}

/* Clusters that hold one of the modes to be kept. */
static size_t kept(const coarsening_state *s, const coarsening_row *row)
{
  size_t count = 0;
  while (count < row->match_count && row->match[count].first < s->mode_count) count++;
  return count;
}

/* Matches of a mesh with modes, and what is to be said of it. */
static scr_status judge(const coarsening_state *s, const fem_model *coarse, coarsening_row *row, scr_error *error)
{
  fem_prolongation prolongation;
  scr_status status = fem_prolong_find(&s->fine.system, &coarse->system, &prolongation, error);
  if (status == SCR_BAD_USAGE) { /* round shapes in few elements */
    row->refused = "it does not fill the same space";
    return SCR_OK;
  }
  SCR_TRY(status);
  status = fem_match_modes(&s->fine.system, &s->fine.modes, &coarse->modes, &prolongation, row->match, &row->match_count, error);
  fem_prolong_clear(&prolongation);
  SCR_TRY(status);
  row->match_count = kept(s, row);
  row->least_match = 1;
  for (size_t k = 0; k < row->match_count; k++) row->least_match = fmin(row->least_match, row->match[k].mac);
  double fine = fem_mode_frequency(&s->fine.modes, 0),
         wanted = isnan(s->options->measured_frequency) ? fine : s->options->measured_frequency;
  row->scale = pow(wanted / (row->match[0].ratio * fine), 2);
  if (row->least_match < s->options->match) row->refused = "a mode is missing";
  if (isnan(s->options->measured_frequency) && (row->scale < least_scale || row->scale > most_scale))
    row->refused = "its stiffness would have to be scaled beyond 0.02 ... 1.05";
  row->accepted = !row->refused;
  return SCR_OK;
}

scr_status coarsening_try_mesh(coarsening_state *s, size_t mesh, const scr_liveness *liveness, scr_error *error)
{
  coarsening_row *row = &s->rows[mesh];
  fem_model coarse = {0};
  scr_status status = fem_model_make(s->scene, &s->plan.mesh[mesh], law_of(s), (fem_formulation)s->options->fem.element, &coarse, error);
  *row = (coarsening_row){.tried = true, .hexes = coarse.system.hex_count, .nodes = coarse.system.node_count};
  if (status == SCR_OK) {
    size_t wanted = at_most(s->mode_count + 2 * COARSENING_SPARE, &coarse);
    if (coarse.rigid != s->fine.rigid)
      row->refused = "the grips do not hold it as they hold the fine mesh";
    else if (wanted < s->mode_count)
      row->refused = "it has fewer modes than are to be kept";
    if (!row->refused) status = fem_modes_find_slowly(&coarse.system, coarse.fixed, wanted, liveness, &coarse.modes, error);
    if (status == SCR_OK && !row->refused) status = judge(s, &coarse, row, error);
    if (status == SCR_OK) status = judge_load(s, mesh, liveness, row, error);
  }
  fem_model_clear(&coarse);
  return status;
}

void coarsening_choose(coarsening_state *s)
{
  s->chosen = SIZE_MAX;
  for (size_t k = s->plan.count; k-- > 0;)
    if (s->rows[k].accepted) s->chosen = k;
}

double coarsening_modulus(const coarsening_state *s)
{
  return s->rows[s->chosen].scale * fem_material_of(s->scene, s->scene->specimens[0].material)->young_modulus;
}

double coarsening_damping(const coarsening_state *s)
{
  const coarsening_options *o = s->options;
  if (isnan(o->measured_damping)) return NAN;
  double frequency = isnan(o->measured_frequency) ? fem_mode_frequency(&s->fine.modes, 0) : o->measured_frequency;
  return 2 * o->measured_damping / (2 * 3.14159265358979323846 * frequency);
}
