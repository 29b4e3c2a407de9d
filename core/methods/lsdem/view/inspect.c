/* Templates in numbers. */
#include "methods/lsdem/view/inspect.h"

#include "base/memory.h"

static scr_status make(const scr_scene *scene, size_t specimen, lsdem_template **grain, scr_error *error)
{
  lsdem_recipe recipe = lsdem_recipe_of(scene, specimen, 0);
  *grain = mem_array(1, sizeof **grain);
  if (!*grain) return scr_fail_memory(error, "a template", sizeof **grain);
  return lsdem_template_make(*grain, &recipe, execution_of(1), error);
}

static void destroy(lsdem_template *grain)
{
  if (!grain) return;
  lsdem_template_clear(grain);
  mem_free(grain);
}

static void number(json_writer *w, const char *key, double value)
{
  jw_key(w, key);
  jw_number(w, value);
}

static void count(json_writer *w, const char *key, size_t value)
{
  jw_key(w, key);
  jw_integer(w, (int64_t)value);
}

static void row(json_writer *w, const char *key, const double *values, size_t n)
{
  jw_key(w, key);
  jw_begin_row(w);
  for (size_t k = 0; k < n; k++) jw_number(w, values[k]);
  jw_end_row(w);
}

/* How well nodes, areas and level set fit each other (the specification's sections 3.9 and 8). */
static void write_checks(json_writer *w, const lsdem_template *grain)
{
  double area = 0, flux = 0, off = 0, squares = 0, h = grain->field.spacing;
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t k = 0; k < grain->node_count; k++) {
    scr_vec3 x = grain->surface.vertex[k];
    double value = 0;
    area += grain->area[k];
    sum = vec3_add(sum, vec3_scale(grain->normal[k], grain->area[k]));
    flux += grain->area[k] * vec3_dot(x, grain->normal[k]);
    if (!level_set_at(&grain->field, x, &value)) continue;
    off = fmax(off, fabs(value) / h);
    squares += value * value / (h * h);
  }
  level_set_quality quality = level_set_measure(&grain->field);
  jw_key(w, "checks");
  jw_begin_object(w);
  number(w, "area", area);
  number(w, "unbalanced_area", vec3_length(sum) / area);
  number(w, "volume_of_areas", flux / (3 * grain->volume));
  number(w, "volume_of_level_set", level_set_volume(&grain->field) / grain->enclosed);
  number(w, "largest_level_at_nodes", off);
  number(w, "rms_level_at_nodes", sqrt(squares / (double)grain->node_count));
  number(w, "least_slope", quality.least_slope);
  number(w, "largest_slope", quality.largest_slope);
  jw_end_object(w);
}

static void write_modes(json_writer *w, const lsdem_template *grain)
{
  jw_key(w, "modes");
  jw_begin_list(w);
  for (size_t a = 0; a < grain->mode_count; a++) {
    double k = grain->modal.stiffness[a][a], m = grain->modal.mass[a][a];
    jw_begin_object(w);
    count(w, "number", a + 1);
    number(w, "mass", m);
    number(w, "stiffness", lsdem_energy_is_given(&grain->energy) ? NAN : k);
    number(w, "frequency", lsdem_energy_is_given(&grain->energy) ? NAN : sqrt(k / m) / (2 * M_PI));
    number(w, "largest_displacement", grain->mode_peak[a]);
    number(w, "largest_gradient", grain->mode_slope[a]);
    jw_end_object(w);
  }
  jw_end_list(w);
}

/* A fitted energy: its terms as [coefficient in J, modes from 1 ...], of amplitudes over `scale`; and how well it holds. */
static void write_fit(json_writer *w, const lsdem_template *grain)
{
  const lsdem_polynomial *fit = &grain->energy.fit;
  const lsdem_fit_quality *quality = &grain->fit_quality;
  if (fit->term_count == 0) return;
  jw_key(w, "fit");
  jw_begin_object(w);
  row(w, "scale", fit->scale, fit->count);
  jw_key(w, "terms");
  jw_begin_list(w);
  for (size_t t = 0; t < fit->term_count; t++) {
    jw_begin_row(w);
    jw_number(w, fit->term[t].coefficient);
    for (int k = 0; k < fit->term[t].degree; k++) jw_integer(w, fit->term[t].mode[k] + 1);
    jw_end_row(w);
  }
  jw_end_list(w);
  number(w, "energy_error", quality->energy);
  number(w, "force_error", quality->force);
  number(w, "energy_error_if_not_convex", quality->free_energy);
  number(w, "force_error_if_not_convex", quality->free_force);
  number(w, "energy_error_between", quality->other_energy);
  number(w, "force_error_between", quality->other_force);
  jw_end_object(w);
}

static void write_table(json_writer *w, const lsdem_template *grain)
{
  if (!grain->energy.point_count) return;
  jw_key(w, "table");
  jw_begin_list(w);
  for (size_t k = 0; k < grain->energy.point_count; k++) {
    jw_begin_row(w);
    jw_number(w, grain->energy.amplitude[k]);
    jw_number(w, grain->energy.force[k]);
    jw_number(w, grain->energy.energy[k]);
    jw_end_row(w);
  }
  jw_end_list(w);
}

static void write(json_writer *w, const lsdem_template *grain, const char *name)
{
  const double inertia[3] = {grain->inertia.x, grain->inertia.y, grain->inertia.z},
               centroid[3] = {grain->centroid.x, grain->centroid.y, grain->centroid.z};
  const double points[3] = {grain->field.count[0], grain->field.count[1], grain->field.count[2]};
  jw_begin_object(w);
  jw_key(w, "specimen");
  jw_string(w, name);
  count(w, "nodes", grain->node_count);
  count(w, "triangles", grain->surface.triangle_count);
  number(w, "volume", grain->volume);
  number(w, "mass", grain->mass);
  row(w, "inertia", inertia, 3);
  row(w, "centroid", centroid, 3);
  number(w, "reach", grain->reach);
  number(w, "depth", grain->depth);
  number(w, "grid_spacing", grain->field.spacing);
  row(w, "grid_points", points, 3);
  number(w, "bytes", lsdem_template_bytes((double)grain->node_count, points[0] * points[1] * points[2], grain->mode_count));
  write_checks(w, grain);
  write_modes(w, grain);
  write_table(w, grain);
  write_fit(w, grain);
  jw_end_object(w);
}

scr_status lsdem_inspect(const scr_scene *scene, size_t specimen, json_writer *writer, scr_error *error)
{
  lsdem_template *grain = NULL;
  scr_status status = make(scene, specimen, &grain, error);
  if (status == SCR_OK) write(writer, grain, scene->specimens[specimen].name);
  destroy(grain);
  return status;
}

scr_status lsdem_surface_of_specimen(const scr_scene *scene, size_t specimen, geo_mesh *mesh, scr_vec3 **fields, size_t *modes,
                                     scr_error *error)
{
  lsdem_template *grain = NULL;
  scr_status status = make(scene, specimen, &grain, error);
  if (status == SCR_OK) { /* moved out of the template */
    *mesh = grain->surface;
    *fields = grain->mode_at_node;
    *modes = grain->mode_count;
    grain->surface = (geo_mesh){0};
    grain->mode_at_node = NULL;
  }
  destroy(grain);
  return status;
}
