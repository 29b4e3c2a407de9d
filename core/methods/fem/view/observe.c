/* What a run shows: curves, deforming surfaces with their stresses. Its tables are in tables.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/state/state.h"
#include "methods/fem/view/contacts.h"
#include "scene/part.h"

/* A face lies against what its node touches where their normals are within 41 degrees of opposite: a block on its edge, both faces at 45
 * degrees, has no area. */
static const double pressed_cosine = 0.75;

/* ── declared once ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Vertices and triangles of one body. @param number [node_count] receives a node's vertex */
static scr_status add_body(const fem_state *s, const geo_hexes_surface *surface, uint32_t *number, fem_skin *skin, geo_mesh *mesh,
                           scr_error *error)
{
  for (size_t k = 0; k < surface->node_count; k++) {
    const double *x = s->system.rest + 3 * (size_t)surface->node[k];
    number[surface->node[k]] = (uint32_t)skin->vertex_count;
    skin->node[skin->vertex_count++] = surface->node[k];
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3(x[0], x[1], x[2]), error));
  }
  for (size_t f = 0; f < surface->face_count; f++) {
    uint32_t c[4];
    for (int k = 0; k < 4; k++) c[k] = number[surface->face[f][k]];
    SCR_TRY(geo_mesh_add_triangle(mesh, c[0], c[1], c[2], 0, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, c[0], c[2], c[3], 0, error));
  }
  return SCR_OK;
}

/* The surface of a specimen's grains as triangles; skin->node receives which node each vertex is. */
static scr_status make_surface(const fem_state *s, size_t specimen, fem_skin *skin, geo_mesh *mesh, scr_error *error)
{
  uint32_t *number = mem_array(s->system.node_count, sizeof *number);
  size_t count = 0;
  for (size_t b = 0; b < s->system.body_count; b++) count += s->specimen_of[b] == specimen ? s->surfaces[b].node_count : 0;
  skin->node = mem_array(count, sizeof *skin->node);
  if (!number || !skin->node) {
    mem_free(number);
    return scr_fail_memory(error, "a picture", s->system.node_count * sizeof *number);
  }
  scr_status status = SCR_OK;
  for (size_t b = 0; b < s->system.body_count && status == SCR_OK; b++)
    if (s->specimen_of[b] == specimen) status = add_body(s, &s->surfaces[b], number, skin, mesh, error);
  mem_free(number);
  return status;
}

static scr_status declare_surface(scr_sim *sim, size_t specimen, scr_error *error)
{
  fem_state *s = sim->state;
  scr_modal_shape shape = {.name = "surface"};
  scr_status status = make_surface(s, specimen, &s->skins[specimen], &shape.mesh, error);
  scr_drawable drawable = {.kind = SCR_DRAW_SURFACE,
                           .element_count = (uint32_t)s->skins[specimen].vertex_count,
                           .field_count = 5,
                           .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                      {"mises_stress", "Pa", 1, SCR_ENCODING_UINT16},
                                      {"principal", "Pa", 1, SCR_ENCODING_UINT16},
                                      {"displacement", "m", 1, SCR_ENCODING_UINT16},
                                      {"speed", "m/s", 1, SCR_ENCODING_UINT16}},
                           .shape_count = 1,
                           .shapes = &shape};
  snprintf(drawable.name, sizeof drawable.name, "%.63s", s->scene->specimens[specimen].name);
  if (s->scene->output.positions == SCR_POSITIONS_FLOAT32) drawable.fields[0].encoding = SCR_ENCODING_FLOAT32;
  if (status == SCR_OK) status = scr_sim_declare_drawable(sim, &drawable, error);
  geo_mesh_clear(&shape.mesh);
  return status;
}

static scr_status note_mesh(scr_sim *sim, scr_error *error)
{
  const fem_state *s = sim->state;
  const geo_hexes mesh = {s->system.node_count, s->system.hex_count, (double(*)[3])(void *)s->system.rest, s->system.hex};
  geo_hexes_quality quality = geo_hexes_measure(&mesh);
  char text[400];
  snprintf(
      text, sizeof text,
      "%zu nodes, %zu hexahedra of about %.4g m (smallest scaled Jacobian %.3g, largest aspect %.3g), %zu %s of %.4g kg in all; the matrix "
      "has %zu entries, its factor %.4g (%s order)",
      s->system.node_count, s->system.hex_count, s->solver.settings.edge, quality.scaled_jacobian, quality.aspect, s->system.body_count,
      s->system.body_count == 1 ? "body" : "bodies", s->system.total_mass, 9 * s->system.block_count,
      la_factor_estimate(s->solver.factor).entries, la_factor_estimate(s->solver.factor).order);
  return scr_sim_declare_note(sim, text, error);
}

scr_status fem_declare(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(fem_declare_tables(sim, error));
  for (size_t k = 0; k < s->scene->specimen_count; k++) SCR_TRY(declare_surface(sim, k, error));
  SCR_TRY(fem_declare_contacts(sim, error));
  SCR_TRY(note_mesh(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "largest_displacement", "Largest displacement", HEADLINE_LARGEST, error));
  return scr_sim_declare_headline(sim, "largest_stress", "Largest stress", HEADLINE_LARGEST, error);
}

/* ── stresses ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Cauchy stress at Gauss point g of element e. @return false where it is folded */
static bool stress_at(const fem_state *s, size_t e, int g, double stress[6])
{
  const fem_system *system = &s->system;
  const fem_constitutive *constitutive = &system->constitutive[system->body_of_hex[e]];
  double u[FEM_CORNERS][3], d[9];
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], s->motion.displacement + 3 * (size_t)system->hex[e][a], sizeof u[a]);
  fem_element_gradient(&system->shape[e], constitutive, (const double(*)[3])u, s->motion.mode + FEM_MODE_UNKNOWNS * e, g, d);
  return fem_law_cauchy(constitutive->law, &constitutive->moduli, d, stress);
}

static void raise_stress(const void *user, size_t begin, size_t end, double *most)
{
  double stress[6];
  for (size_t e = begin; e < end; e++)
    for (int g = 0; g < FEM_GAUSS; g++)
      if (stress_at(user, e, g, stress)) *most = fmax(*most, fem_von_mises(stress));
}

static double largest_stress(const fem_state *s)
{
  double most = 0;
  execution_largest(s->solver.settings.execution, s->system.hex_count, 1, raise_stress, s, &most);
  return most;
}

/* picture 0 and 1: von Mises and principal stress of the volume-weighted means of the elements around each node. */
static void nodal_stresses(const fem_state *s)
{
  const fem_system *system = &s->system;
  size_t n = system->node_count;
  double *mean = s->solver.trial, *shear = s->solver.residual; /* xx yy zz, and xy yz zx, of each node: scratch between steps */
  memset(mean, 0, 3 * n * sizeof *mean);
  memset(shear, 0, 3 * n * sizeof *shear);
  memset(s->weight, 0, n * sizeof *s->weight);
  for (size_t e = 0; e < system->hex_count; e++) {
    double sum[6] = {0};
    for (int g = 0; g < FEM_GAUSS; g++) {
      double stress[6] = {0};
      (void)stress_at(s, e, g, stress);
      for (int k = 0; k < 6; k++) sum[k] += system->shape[e].gauss[g].weight * stress[k];
    }
    for (int a = 0; a < FEM_CORNERS; a++) {
      size_t node = system->hex[e][a];
      s->weight[node] += system->shape[e].volume;
      for (size_t k = 0; k < 3; k++) mean[3 * node + k] += sum[k], shear[3 * node + k] += sum[3 + k];
    }
  }
  for (size_t k = 0; k < n; k++) {
    double w = s->weight[k], stress[6] = {mean[3 * k] / w,  mean[3 * k + 1] / w,  mean[3 * k + 2] / w,
                                          shear[3 * k] / w, shear[3 * k + 1] / w, shear[3 * k + 2] / w};
    s->picture[k] = fem_von_mises(stress);
    s->picture[n + k] = fem_principal(stress);
  }
}

/* ── values and pictures ────────────────────────────────────────────────────────────────────────────────────────── */

static double *put(double *next, scr_vec3 v)
{
  *next++ = v.x, *next++ = v.y, *next++ = v.z;
  return next;
}

void fem_energies(const scr_sim *sim, sim_energies *now)
{
  const fem_state *s = sim->state;
  now->kinetic = fem_kinetic(&s->solver);
  now->elastic = s->solver.energy;
}

static double *put_motion(const fem_state *s, double *next)
{
  double *momentum = s->solver.work[1];
  scr_vec3 sum = vec3(0, 0, 0);
  double farthest = 0;
  fem_mass_multiply(&s->system, s->motion.velocity, momentum, s->solver.settings.execution);
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *u = s->motion.displacement + 3 * n;
    sum = vec3_add(sum, vec3(momentum[3 * n], momentum[3 * n + 1], momentum[3 * n + 2]));
    farthest = fmax(farthest, vec3_length(vec3(u[0], u[1], u[2])));
  }
  fem_rigid first = fem_rigid_motion(&s->system, &s->frames, 0, s->motion.displacement, momentum);
  next = put(next, sum);
  next = put(next, first.angular);
  next = put(next, first.centre);
  *next++ = vec3_length(quat_log(first.rotation));
  *next++ = farthest;
  return next;
}

/* Unit normal of a face as it is now, out of its body, by its diagonals. */
static scr_vec3 face_normal(const fem_state *s, const uint32_t face[4])
{
  scr_vec3 x[4];
  for (int k = 0; k < 4; k++) {
    const double *rest = s->system.rest + 3 * (size_t)face[k], *u = s->motion.displacement + 3 * (size_t)face[k];
    x[k] = vec3(rest[0] + u[0], rest[1] + u[1], rest[2] + u[2]);
  }
  scr_vec3 across = vec3_cross(vec3_sub(x[2], x[0]), vec3_sub(x[3], x[1]));
  double length = vec3_length(across);
  return length > 0 ? vec3_scale(across, 1 / length) : vec3(0, 0, 0);
}

/* The first contact of a node that presses the face against something; NULL: there is none. */
static const fem_touch *pressing(const fem_touches *touches, uint32_t node, scr_vec3 normal)
{
  size_t low = 0, high = touches->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (touches->item[middle].site < node)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < touches->count && touches->item[low].site == node; low++) {
    const double *axis = touches->item[low].axis[0];
    if (vec3_dot(normal, vec3(axis[0], axis[1], axis[2])) < -pressed_cosine) return &touches->item[low];
  }
  return NULL;
}

/* Area of the surface in contact, m^2: quarters of faces at nodes in contact, where the face lies against what its node touches. Between
 * two bodies both surfaces are in contact: the larger one counts. */
static double contact_area(const fem_state *s, size_t parts)
{
  size_t bodies = s->system.body_count;
  double(*quarter)[4] = s->quarter, sum = 0;
  if (s->solver.touches.count == 0) return 0;
  memset(s->pressed, 0, bodies * (bodies + 1) * sizeof *s->pressed);
  for (size_t b = 0; b < bodies; quarter += s->surfaces[b].face_count, b++)
    for (size_t f = 0; f < s->surfaces[b].face_count; f++) {
      const uint32_t *face = s->surfaces[b].face[f];
      scr_vec3 normal = face_normal(s, face);
      for (int k = 0; k < 4; k++) {
        const fem_touch *touch = pressing(&s->solver.touches, face[k], normal);
        if (touch) s->pressed[b * (bodies + 1) + (touch->partner < parts ? bodies : touch->partner - parts)] += quarter[f][k];
      }
    }
  for (size_t a = 0; a < bodies; a++) {
    sum += s->pressed[a * (bodies + 1) + bodies];
    for (size_t b = 0; b < a; b++) sum += fmax(s->pressed[a * (bodies + 1) + b], s->pressed[b * (bodies + 1) + a]);
  }
  return sum;
}

void fem_observe(const scr_sim *sim, double *values)
{
  const fem_state *s = sim->state;
  double *next = values + 1, area = contact_area(s, sim->parts.count);
  next = put_motion(s, next);
  *next++ = largest_stress(s);
  *next++ = (double)s->solver.touches.count;
  *next++ = area;
  *next++ = s->totals.normal_force;
  *next++ = s->totals.iterations;
  *next++ = (double)s->totals.halvings;
  *next++ = (double)s->totals.clamped;
}

scr_status fem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const fem_state *s = sim->state;
  const size_t n = s->system.node_count;
  double *x = s->picture + 2 * n, *y = x + n, *z = y + n, *value = z + n;
  nodal_stresses(s);
  for (uint32_t k = 0; k < s->scene->specimen_count; k++) {
    const fem_skin *skin = &s->skins[k];
    for (size_t v = 0; v < skin->vertex_count; v++) {
      const double *rest = s->system.rest + 3 * (size_t)skin->node[v], *u = s->motion.displacement + 3 * (size_t)skin->node[v];
      x[v] = rest[0] + u[0], y[v] = rest[1] + u[1], z[v] = rest[2] + u[2];
    }
    SCR_TRY(scr_frame_field(frame, k, 0, x, y, z, error));
    for (uint32_t f = 0; f < 4; f++) {
      for (size_t v = 0; v < skin->vertex_count; v++) {
        size_t node = skin->node[v];
        const double *of = f == 2 ? s->motion.displacement + 3 * node : s->motion.velocity + 3 * node;
        value[v] = f < 2 ? s->picture[f * n + node] : vec3_length(vec3(of[0], of[1], of[2]));
      }
      SCR_TRY(scr_frame_field(frame, k, 1 + f, value, NULL, NULL, error));
    }
  }
  return fem_draw_contacts(s, sim->parts.count, frame, error);
}
