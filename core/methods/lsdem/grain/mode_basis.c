/* From a mode basis to fields on a grain's own grid. */
#include "methods/lsdem/grain/mode_basis.h"

#include "base/memory.h"
#include "geometry/basis/basis.h"
#include "geometry/hexes/finder.h"

/* A basis being taken into a template. */
typedef struct intake {
  const geo_basis *basis;
  const geo_hexes_finder *finder;
  lsdem_template *grain;
} intake;

static scr_vec3 node_field(const geo_basis *basis, size_t mode, uint32_t node)
{
  const double *v = basis->field + (mode * basis->mesh.node_count + node) * 3;
  return vec3(v[0], v[1], v[2]);
}

/* Phi of all modes and their gradients at a place, all in the grain's own axes. @param gradient [modes] or NULL */
static void evaluate(const intake *in, scr_vec3 own, scr_vec3 *phi, scr_matrix3 *gradient)
{
  const lsdem_template *grain = in->grain;
  const geo_hexes *mesh = &in->basis->mesh;
  scr_vec3 at = vec3_add(grain->centroid, quat_rotate(grain->axes, own)), there = vec3(0, 0, 0);
  geo_hexes_place place = geo_hexes_find(in->finder, (const double[3]){at.x, at.y, at.z});
  double slope[GEO_HEX_CORNERS][3];
  geo_hexes_gradients(mesh, &place, slope);
  const uint32_t *corner = mesh->hex[place.element];
  for (int c = 0; c < GEO_HEX_CORNERS; c++)
    there = vec3_add(there, vec3_scale(vec3(mesh->node[corner[c]][0], mesh->node[corner[c]][1], mesh->node[corner[c]][2]), place.shape[c]));
  scr_vec3 beyond = vec3_sub(at, there);
  scr_quat back = quat_conjugate(grain->axes);
  scr_matrix3 turn = matrix_of(grain->axes);
  for (size_t a = 0; a < grain->mode_count; a++) {
    scr_vec3 sum = vec3(0, 0, 0);
    scr_matrix3 g = {0}, own_slope = {0};
    for (int c = 0; c < GEO_HEX_CORNERS; c++) {
      scr_vec3 v = node_field(in->basis, a, corner[c]);
      sum = vec3_add(sum, vec3_scale(v, place.shape[c]));
      const double part[3] = {v.x, v.y, v.z};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) g.m[i][j] += part[i] * slope[c][j];
    }
    phi[a] = quat_rotate(back, vec3_add(sum, matrix_times(&g, beyond)));
    if (!gradient) continue;
    for (int i = 0; i < 3; i++) /* R^T g R */
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++) own_slope.m[i][j] += turn.m[k][i] * g.m[k][l] * turn.m[l][j];
    gradient[a] = own_slope;
  }
}

static scr_status sample(intake *in, scr_error *error)
{
  lsdem_template *grain = in->grain;
  const level_set *field = &grain->field;
  size_t points = (size_t)field->count[0] * field->count[1] * field->count[2], n = grain->mode_count;
  SCR_TRY(mem_allocate(&grain->mode_grid, 3 * n * points, sizeof *grain->mode_grid, "the fields of a mode basis", error));
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++) {
        scr_vec3 phi[LSDEM_MODE_LIMIT];
        evaluate(in, level_set_point(field, i, j, k), phi, NULL);
        float *at = grain->mode_grid + 3 * n * (((size_t)i * field->count[1] + j) * field->count[2] + k);
        for (size_t a = 0; a < n; a++) at[3 * a] = (float)phi[a].x, at[3 * a + 1] = (float)phi[a].y, at[3 * a + 2] = (float)phi[a].z;
      }
  for (size_t a = 0; a < n; a++) {
    grain->modes[a] = (lsdem_mode){.kind = LSDEM_MODE_FIELD,
                                   .origin = field->origin,
                                   .per_spacing = field->per_spacing,
                                   .value = grain->mode_grid + 3 * a,
                                   .stride = 3 * n};
    for (int k = 0; k < 3; k++) grain->modes[a].count[k] = field->count[k];
  }
  return SCR_OK;
}

static scr_status put_at_nodes(intake *in, scr_error *error)
{
  lsdem_template *grain = in->grain;
  size_t n = grain->node_count, modes = grain->mode_count;
  grain->mode_at_node = mem_array(n * modes, sizeof *grain->mode_at_node);
  grain->mode_at_tile = mem_array(grain->tile_count * modes, sizeof *grain->mode_at_tile);
  if (!grain->mode_at_node || !grain->mode_at_tile)
    return scr_fail_memory(error, "a grain's modes", n * modes * sizeof *grain->mode_at_node);
  for (size_t k = 0; k < n + grain->tile_count; k++) {
    scr_vec3 phi[LSDEM_MODE_LIMIT];
    scr_matrix3 g[LSDEM_MODE_LIMIT];
    evaluate(in, k < n ? grain->surface.vertex[k] : grain->tiles[k - n].centre, phi, g);
    for (size_t a = 0; a < modes; a++) {
      if (k >= n) {
        grain->mode_at_tile[a * grain->tile_count + k - n] = phi[a];
        continue;
      }
      grain->mode_at_node[a * n + k] = phi[a];
      grain->mode_peak[a] = fmax(grain->mode_peak[a], vec3_length(phi[a]));
      for (int i = 0; i < 3; i++)
        grain->mode_slope[a] = fmax(grain->mode_slope[a], fabs(g[a].m[i][0]) + fabs(g[a].m[i][1]) + fabs(g[a].m[i][2]));
    }
  }
  return SCR_OK;
}

/* Radii of gyration along the scene's axes, m: of the mesh, and of the grain, by its inertia in its own axes. */
static scr_status check_moments(const geo_basis *basis, const lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  double second[3];
  geo_basis_second_moments(&basis->mesh, second);
  const double inertia[3] = {grain->inertia.x, grain->inertia.y, grain->inertia.z}, trace = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
  scr_matrix3 turn = matrix_of(grain->axes);
  for (int i = 0; i < 3; i++) {
    double own = 0;
    for (int k = 0; k < 3; k++) own += turn.m[i][k] * turn.m[i][k] * (trace - inertia[k]) / (recipe->density * grain->volume);
    double of_mesh = sqrt(second[i]), of_grain = sqrt(own);
    if (fabs(of_mesh / of_grain - 1) < 0.1) continue;
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis is of another shape: along %c its mesh has a radius of gyration of %.4g m, the grain %.4g m, which may "
                    "differ by a tenth; make the basis of this shape, turned as it is",
                    "xyz"[i], of_mesh, of_grain);
  }
  return SCR_OK;
}

static scr_status check(const geo_basis *basis, const lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  double centroid[3], volume = geo_basis_centroid(&basis->mesh, centroid);
  double off = vec3_length(vec3_sub(vec3(centroid[0], centroid[1], centroid[2]), grain->centroid));
  if (!(fabs(volume / grain->volume - 1) < 0.05) || !(off < 0.05 * grain->reach))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis is of another shape: its mesh has a volume of %.6g m^3, the grain %.6g m^3; their centroids are %.4g m "
                    "apart: make the basis of this shape",
                    volume, grain->volume, off);
  SCR_TRY(check_moments(basis, grain, recipe, error));
  if (recipe->basis_modes > basis->mode_count)
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis has %zu modes, mode_count asks for %zu: ask for fewer, or make a basis with more", basis->mode_count,
                    recipe->basis_modes);
  if (!isnan(recipe->young) && fabs(recipe->poisson - basis->poisson_ratio) > 1e-3)
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis was made with a Poisson's ratio of %.4g, the material has %.4g: its fields are others; make a basis of "
                    "this material",
                    basis->poisson_ratio, recipe->poisson);
  return SCR_OK;
}

/* What of the basis is in use, scaled to the material. */
static void keep_matrices(lsdem_template *grain, const geo_basis *basis, const lsdem_recipe *recipe)
{
  double dense = recipe->density / basis->density, stiff = isnan(recipe->young) ? 1 : recipe->young / basis->young_modulus;
  for (size_t a = 0; a < grain->mode_count; a++)
    for (size_t b = 0; b < grain->mode_count; b++) {
      grain->basis_mass[a * grain->mode_count + b] = dense * basis->mass[a * basis->mode_count + b];
      grain->basis_stiffness[a * grain->mode_count + b] = stiff * basis->stiffness[a * basis->mode_count + b];
    }
}

/* ── the energy ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The levels that move the modes in use, amplitudes of these alone, energies and forces scaled to the material. */
typedef struct used_levels {
  size_t count;
  double *amplitude, *energy, *force; /* [count][modes], [count], [count][modes] */
} used_levels;

static void clear_levels(used_levels *used)
{
  mem_free(used->amplitude);
  mem_free(used->energy);
  mem_free(used->force);
}

static scr_status pick_levels(const geo_basis *basis, size_t modes, double stiff, used_levels *used, scr_error *error)
{
  used->amplitude = mem_array(basis->level_count * modes, sizeof(double));
  used->energy = mem_array(basis->level_count, sizeof(double));
  used->force = mem_array(basis->level_count * modes, sizeof(double));
  if (!used->amplitude || !used->energy || !used->force)
    return scr_fail_memory(error, "the levels of a mode basis", basis->level_count * (2 * modes + 1) * sizeof(double));
  for (size_t l = 0; l < basis->level_count; l++) {
    bool moves = false;
    for (size_t a = 0; a < modes; a++) moves = moves || basis->amplitude[l * basis->mode_count + a] != 0;
    if (!moves) continue; /* of a mode that is not used */
    for (size_t a = 0; a < modes; a++) {
      used->amplitude[used->count * modes + a] = basis->amplitude[l * basis->mode_count + a];
      used->force[used->count * modes + a] = stiff * basis->force[l * basis->mode_count + a];
    }
    used->energy[used->count++] = stiff * basis->energy[l];
  }
  return SCR_OK;
}

static scr_status take_energy(lsdem_template *grain, const geo_basis *basis, const lsdem_recipe *recipe, scr_error *error)
{
  used_levels used = {0};
  size_t modes = grain->mode_count;
  if (recipe->basis_energy == LSDEM_BASIS_QUADRATIC) return SCR_OK;
  if (basis->level_count == 0)
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis has no levels, of which mode_energy \"table\" and \"fit\" are made: make it with levels or snapshots, "
                    "or use mode_energy \"quadratic\"");
  scr_status status = pick_levels(basis, modes, isnan(recipe->young) ? 1 : recipe->young / basis->young_modulus, &used, error);
  const lsdem_levels levels = {used.count, modes, used.amplitude, used.energy, used.force};
  if (status == SCR_OK)
    status = recipe->basis_energy == LSDEM_BASIS_TABLE
                 ? lsdem_energy_take(&grain->energy, used.amplitude, used.force, used.count, error)
                 : lsdem_energy_fit(&levels, recipe->fit_degree, &grain->energy.fit, &grain->fit_quality, error);
  clear_levels(&used);
  return status;
}

static scr_status take_in(lsdem_template *grain, const geo_basis *basis, const lsdem_recipe *recipe, scr_error *error)
{
  intake in = {.basis = basis, .grain = grain};
  geo_hexes_finder *finder = NULL;
  SCR_TRY(check(basis, grain, recipe, error));
  SCR_TRY(geo_hexes_finder_create(&basis->mesh, &finder, error));
  in.finder = finder;
  grain->mode_count = recipe->basis_modes;
  scr_status status = sample(&in, error);
  if (status == SCR_OK) status = put_at_nodes(&in, error);
  if (status == SCR_OK) {
    keep_matrices(grain, basis, recipe);
    status = take_energy(grain, basis, recipe, error);
  }
  geo_hexes_finder_destroy(finder);
  return status;
}

scr_status lsdem_basis_modes(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  geo_basis basis = {0};
  if (!recipe->basis)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "modes \"basis\" without a mode_basis: give the file, or choose other modes");
  scr_status status = geo_basis_read(recipe->basis, recipe->basis_bytes, &basis, error);
  if (status == SCR_OK) status = geo_basis_free_of_rigid_motion(&basis, error);
  if (status == SCR_OK) status = take_in(grain, &basis, recipe, error);
  geo_basis_clear(&basis);
  return status == SCR_BAD_FILE ? SCR_BAD_SCENE : status;
}

void lsdem_basis_matrices(lsdem_template *grain)
{
  for (size_t a = 0; a < grain->mode_count; a++)
    for (size_t b = 0; b < grain->mode_count; b++) {
      grain->modal.mass[a][b] = grain->basis_mass[a * grain->mode_count + b];
      grain->modal.stiffness[a][b] = grain->basis_stiffness[a * grain->mode_count + b];
    }
}
