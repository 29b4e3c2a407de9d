/* Forms, and whether two grains or a grain and the container are apart. */
#include "geometry/packing/pack_form.h"

#include "geometry/level_set/shell.h"

static double distance_to(const void *user, scr_vec3 point)
{
  return geo_mesh_nearest(user, point).distance;
}

/* Corners of triangles, every so many; of a coarse surface those of its refinement. */
static scr_status spread_points(pack_form *form, scr_error *error)
{
  geo_mesh fine = {0};
  const geo_mesh *from = form->surface;
  if (from->vertex_count < PACK_POINTS) {
    SCR_TRY(shell_refine(from, form->reach / 4, &fine, error));
    from = &fine;
  }
  size_t n = from->vertex_count;
  form->point_count = n < PACK_POINTS ? n : PACK_POINTS;
  for (size_t k = 0; k < form->point_count; k++) form->point[k] = from->vertex[k * n / form->point_count];
  geo_mesh_clear(&fine);
  size_t outer = form->point_count; /* what lies inside tells of grains that are within each other */
  for (size_t k = 0; k < PACK_INNER; k++) {
    scr_vec3 p = vec3_scale(form->point[k * outer / PACK_INNER], 0.5 * (double)(k % 2));
    double depth = geo_mesh_nearest(form->tree, p).distance;
    if (depth >= 0) continue;
    form->point[form->point_count] = p;
    form->own[form->point_count++] = depth;
  }
  return SCR_OK;
}

scr_status pack_form_make(pack_form *form, const geo_mesh *surface, double gap, scr_error *error)
{
  geo_mesh_measures measures;
  form->surface = surface;
  SCR_TRY(geo_mesh_tree_create(surface, &form->tree, error));
  SCR_TRY(geo_mesh_measure(surface, &measures, error));
  form->volume = measures.volume;
  form->box = geo_mesh_tree_box(form->tree);
  for (size_t v = 0; v < surface->vertex_count; v++) form->reach = fmax(form->reach, vec3_length(surface->vertex[v]));
  for (size_t t = 0; t < surface->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      scr_vec3 side = vec3_sub(surface->vertex[surface->triangle[t][k]], surface->vertex[surface->triangle[t][(k + 1) % 3]]);
      form->longest = fmax(form->longest, vec3_length(side));
    }
  SCR_TRY(spread_points(form, error));
  double margin = fmin(2 * gap, form->reach) + 0.25 * form->reach;
  SCR_TRY(level_set_create(&form->field, &form->box, form->reach / 8, margin, error));
  level_set_sample(&form->field, distance_to, form->tree, execution_of(1));
  return SCR_OK;
}

void pack_form_clear(pack_form *form)
{
  geo_mesh_tree_destroy(form->tree);
  level_set_clear(&form->field);
}

/* Whether all corners of `of` keep the gap from `from`, and none of its edges goes through it. `shift`: of `of` from `from`, in units of
 * the forms. */
static bool corners_keep_apart(const pack_form *of, const pack_form *from, scr_vec3 shift, double gap)
{
  const geo_mesh *surface = of->surface;
  double far = from->reach + gap, unsure = 0.2 * from->reach; /* the field's error is below that */
  for (size_t v = 0; v < surface->vertex_count; v++) {
    scr_vec3 p = vec3_add(surface->vertex[v], shift);
    double value;
    if (vec3_length(p) > far || (level_set_at(&from->field, p, &value) && value > gap + unsure)) continue;
    if (geo_mesh_nearest(from->tree, p).distance < gap) return false;
  }
  for (size_t t = 0; t < surface->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      uint32_t low = surface->triangle[t][k], high = surface->triangle[t][(k + 1) % 3];
      scr_vec3 p = vec3_add(surface->vertex[low], shift), q = vec3_add(surface->vertex[high], shift);
      double value;
      if (low > high || vec3_length(p) > from->reach + of->longest) continue; /* each edge once */
      if (level_set_at(&from->field, p, &value) && value > of->longest + unsure) continue;
      if (geo_mesh_crosses(from->tree, p, q)) return false;
    }
  return true;
}

bool pack_keeps_apart(const pack_form *a, const pack_form *b, scr_vec3 shift, double scale, double gap)
{
  scr_vec3 own = vec3_scale(shift, 1 / scale);
  double within = gap / scale;
  if (vec3_length(own) > a->reach + b->reach + within) return true;
  return corners_keep_apart(b, a, own, within) && corners_keep_apart(a, b, vec3_scale(own, -1), within);
}

double pack_sticks_out(const geo_pack_request *request, const pack_form *form, scr_vec3 centre, double scale)
{
  const double c[3] = {centre.x, centre.y, centre.z}, low[3] = {form->box.low.x, form->box.low.y, form->box.low.z},
               high[3] = {form->box.high.x, form->box.high.y, form->box.high.z},
               first[3] = {request->minimum.x, request->minimum.y, request->minimum.z},
               last[3] = {request->maximum.x, request->maximum.y, request->maximum.z};
  double out = -INFINITY;
  for (int a = request->round ? 2 : 0; a < 3; a++)
    out = fmax(out, fmax(first[a] - (c[a] + scale * low[a]), c[a] + scale * high[a] - last[a]) + request->gap);
  if (!request->round) return out;
  double x = c[0] - 0.5 * (first[0] + last[0]), y = c[1] - 0.5 * (first[1] + last[1]),
         radius = 0.5 * fmin(last[0] - first[0], last[1] - first[1]);
  for (size_t v = 0; v < form->surface->vertex_count; v++) {
    scr_vec3 p = form->surface->vertex[v];
    out = fmax(out, hypot(x + scale * p.x, y + scale * p.y) - radius + request->gap);
  }
  return out;
}
