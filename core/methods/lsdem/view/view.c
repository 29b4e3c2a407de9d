/* Curves, and grains as copies of their templates' surfaces with their modes. */
#include "methods/lsdem/view/view.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/view/contacts.h"
#include "methods/lsdem/view/traction.h"
#include "sim/rig/box.h"

/* How many modes pictures show: the first ones, as many as a recording takes. */
static size_t drawn_modes(const lsdem_state *s)
{
  size_t most = lsdem_most_modes(s);
  return most < SCR_MODE_LIMIT ? most : SCR_MODE_LIMIT;
}

/* Whether any law glues grains. */
static bool has_glue(const lsdem_state *s)
{
  for (size_t k = 0; k < (s->scene->material_count + 1) * (s->scene->material_count + 1); k++)
    if (s->laws[k].glue.normal > 0) return true;
  return false;
}

static scr_status declare_grains(scr_sim *sim, scr_error *error)
{
  const lsdem_state *s = sim->state;
  size_t modes = drawn_modes(s);
  scr_modal_shape *shapes = mem_array(s->template_count, sizeof *shapes);
  if (!shapes) return scr_fail_memory(error, "the grains' shapes", s->template_count * sizeof *shapes);
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *grain = &s->templates[k];
    snprintf(shapes[k].name, sizeof shapes[k].name, "%.20s-%u", s->scene->specimens[grain->specimen].name, (unsigned)k % 1000000u);
    shapes[k].mesh = grain->surface; /* borrowed: declaring copies */
    shapes[k].mode_count = (uint32_t)(grain->mode_count < modes ? grain->mode_count : modes);
    shapes[k].modes = grain->mode_at_node;
  }
  scr_drawable grains = {.kind = SCR_DRAW_INSTANCES,
                         .name = "grains",
                         .element_count = (uint32_t)s->grain_count,
                         .field_count = 6,
                         .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                    {"orientation", "rad", 3, SCR_ENCODING_UINT16},
                                    {"shape", "1", 1, SCR_ENCODING_UINT32},
                                    {"speed", "m/s", 1, SCR_ENCODING_UINT16},
                                    {"contacts", "1", 1, SCR_ENCODING_UINT32},
                                    {"pressure", "Pa", 1, SCR_ENCODING_UINT16}},
                         .shape_count = (uint32_t)s->template_count,
                         .shapes = shapes};
  if (has_glue(s)) grains.fields[grains.field_count++] = (scr_field){"fragment", "1", 1, SCR_ENCODING_UINT32};
  if (modes) grains.fields[grains.field_count++] = (scr_field){"amplitudes", "1", (uint32_t)modes, SCR_ENCODING_FLOAT32};
  scr_status status = scr_sim_declare_drawable(sim, &grains, error);
  mem_free(shapes);
  return status;
}

scr_status lsdem_declare(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(scr_sim_declare_peak_force(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "contacts", "Contacts", HEADLINE_NEWEST, error));
  SCR_TRY(lsdem_declare_tractions(sim, error));
  SCR_TRY(declare_grains(sim, error));
  return lsdem_declare_contacts(sim, error);
}

/* ── curves ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The share of the box that is empty, by where its walls are now; 0 where the rig is no box. */
static double porosity(const scr_sim *sim)
{
  const lsdem_state *s = sim->state;
  double edge[3];
  if (!sim_box_edges(&sim->parts, edge)) return 0;
  double box = edge[0] * edge[1] * edge[2];
  return box > 0 ? 1 - s->volume / box : 0;
}

static void measure_amplitudes(const lsdem_state *s, double *mean, double *largest)
{
  double sum = 0;
  size_t count = 0;
  *largest = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    size_t modes = s->templates[g->shape].mode_count;
    if (modes) sum += s->amplitude[g->first], count++;
    for (size_t a = 0; a < modes; a++) *largest = fmax(*largest, fabs(s->amplitude[g->first + a]));
  }
  *mean = count ? sum / (double)count : 0;
}

void lsdem_energies(const scr_sim *sim, sim_energies *now)
{
  const lsdem_state *s = sim->state;
  *now = (sim_energies){.kinetic = lsdem_kinetic(s),
                        .elastic = lsdem_elastic(s),
                        .contact = s->contact_energy,
                        .other = lsdem_modal_kinetic(s) + s->bond_energy};
}

void lsdem_observe(const scr_sim *sim, double *values)
{
  const lsdem_state *s = sim->state;
  double mean, largest, sorts[LSDEM_MODE_SORTS];
  measure_amplitudes(s, &mean, &largest);
  lsdem_elastic_by_sort(s, sorts);
  size_t contacts = s->pairs_touching + s->parts_touching;
  double per = contacts ? 1 / (double)contacts : 0;
  const double all[] = {lsdem_modal_kinetic(s),
                        s->bond_energy,
                        (double)contacts,
                        2 * (double)s->pairs_touching / (double)s->grain_count,
                        s->deepest,
                        mean,
                        largest,
                        (double)lsdem_bonds_holding(s),
                        s->bond_count ? (double)lsdem_bonds_pieces(s, s->piece) : (double)s->grain_count,
                        porosity(sim),
                        sorts[LSDEM_SORT_ISOTROPIC],
                        sorts[LSDEM_SORT_STRETCH],
                        sorts[LSDEM_SORT_SHEAR],
                        sorts[LSDEM_SORT_BENDING],
                        sorts[LSDEM_SORT_BASIS],
                        s->fabric[0] * per,
                        s->fabric[1] * per,
                        s->fabric[2] * per,
                        s->fabric[3] * per,
                        s->fabric[4] * per,
                        s->fabric[5] * per};
  memcpy(values + 1, all, sizeof all);
  sim_box_observe(&sim->parts, s->box_zero, values + 1 + sizeof all / sizeof *all);
}

/* ── pictures ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status draw_amplitudes(lsdem_state *s, size_t modes, uint32_t field, scr_frame *frame, scr_error *error)
{
  double *to = s->buffer;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    size_t own = s->templates[g->shape].mode_count;
    for (size_t a = 0; a < modes; a++) *to++ = a < own ? s->amplitude[g->first + a] : 0;
  }
  return scr_frame_field_n(frame, 0, field, s->buffer, error);
}

scr_status lsdem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  lsdem_state *s = sim->state;
  size_t n = s->grain_count, modes = drawn_modes(s), columns = modes > 8 ? modes : 8;
  SCR_TRY(mem_reserve(&s->buffer, &s->buffer_capacity, columns * n, sizeof *s->buffer, "a picture", error));
  double *x = s->buffer, *y = x + n, *z = y + n, *rx = z + n, *ry = rx + n, *rz = ry + n, *speed = rz + n;
  uint32_t *shape = (uint32_t *)(void *)(speed + n);
  for (size_t i = 0; i < n; i++) {
    const lsdem_grain *g = &s->grains[i];
    scr_vec3 turn = quat_log(g->rotation);
    x[i] = g->position.x, y[i] = g->position.y, z[i] = g->position.z;
    rx[i] = turn.x, ry[i] = turn.y, rz[i] = turn.z;
    speed[i] = vec3_length(g->velocity);
    shape[i] = g->shape;
  }
  SCR_TRY(scr_frame_field(frame, 0, 0, x, y, z, error));
  SCR_TRY(scr_frame_field(frame, 0, 1, rx, ry, rz, error));
  SCR_TRY(scr_frame_field_u32(frame, 0, 2, shape, error));
  SCR_TRY(scr_frame_field(frame, 0, 3, speed, NULL, NULL, error));
  SCR_TRY(scr_frame_field_u32(frame, 0, 4, s->touching, error));
  lsdem_largest_pressures(s, x); /* x was written */
  SCR_TRY(scr_frame_field(frame, 0, 5, x, NULL, NULL, error));
  uint32_t field = 6;
  if (has_glue(s)) {
    (void)lsdem_bonds_pieces(s, s->piece);
    SCR_TRY(scr_frame_field_u32(frame, 0, field++, s->piece, error));
  }
  if (modes) SCR_TRY(draw_amplitudes(s, modes, field, frame, error));
  return lsdem_draw_contacts(s, frame, error);
}
