/* What a run shows: curves, a table of events, stages; bobs as instances with a mode, threads, drops that come and go, a membrane that
 * deforms. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"
#include "scene/mesh_source.h"
#include "tests/showcase/state.h"

/* ── declared once ───────────────────────────────────────────────────────────────────────────────────────────────── */

const scr_series showcase_curves[SHOWCASE_CURVES] = {
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.damping", "J", "Energy lost to the air"},
    {"energy.friction", "J", "Energy lost between fan and bobs"},
    {"energy.external", "J", "Work of pull, fan and press"},
    {"energy.balance_error", "1", "Energy not accounted for"},
    {"energy.potential", "J", "Potential energy"},
    {"tension", "N", "Largest tension of a thread"},
    {"first_angle", "rad", "Angle of the first bob"},
    {"drops", "1", "Drops in the air"},
    {"dent", "m", "Dent of the membrane"},
};

static scr_status declare_curves(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_curves(sim, error)); /* the shell has declared the ledger's */
  SCR_TRY(scr_sim_declare_headline(sim, "tension", "Largest tension", HEADLINE_LARGEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "drops", "Drops in the air", HEADLINE_NEWEST, error));
  return scr_sim_declare_headline(sim, "dent", "Dent", HEADLINE_NEWEST, error);
}

static scr_status declare_table(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state;
  scr_column columns[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "bob", .unit = "1", .label = "Number of the bob"},
      {.name = "side", .unit = "1", .label = "Where it turned back", .value_count = 2, .values = {"left", "right"}},
      {.name = "x", .unit = "m", .label = "Place, x"},
      {.name = "y", .unit = "m", .label = "Place, y"},
      {.name = "z", .unit = "m", .label = "Place, z"},
      {.name = "energy", .unit = "J", .label = "Its potential energy"},
  };
  const scr_table about = {
      .name = "turns", .label = "Bobs that turned back", .column_count = sizeof columns / sizeof *columns, .columns = columns};
  s->turns_table = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &about, error));
  return scr_sim_announce_table(sim, s->turns_table, "first_turn", "the first bobs turned back", error);
}

static scr_status copy_mesh(const geo_mesh *from, geo_mesh *to, scr_error *error)
{
  for (size_t v = 0; v < from->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(to, from->vertex[v], error));
  for (size_t t = 0; t < from->triangle_count; t++) {
    const uint32_t *corner = from->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(to, corner[0], corner[1], corner[2], 0, error));
  }
  return SCR_OK;
}

/* The bobs: the ball or the mesh of each specimen, with one mode: it stretches along z and thins across, keeping its volume to first order.
 * */
static scr_status make_shape(const scr_shape *shape, scr_modal_shape *out, scr_error *error)
{
  SCR_TRY(shape->kind == SCR_SHAPE_MESH ? copy_mesh(&shape->mesh.mesh->surface, &out->mesh, error)
                                        : geo_mesh_make_ball(&out->mesh, shape->radius, 4, error));
  out->mode_count = 1;
  out->modes = mem_array(out->mesh.vertex_count, sizeof *out->modes);
  if (!out->modes) return scr_fail_memory(error, "a mode", out->mesh.vertex_count * sizeof *out->modes);
  for (size_t v = 0; v < out->mesh.vertex_count; v++) {
    scr_vec3 x = out->mesh.vertex[v];
    out->modes[v] = vec3(-0.5 * x.x, -0.5 * x.y, x.z);
  }
  return SCR_OK;
}

static scr_status declare_bobs(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state;
  const scr_scene *scene = s->scene;
  scr_modal_shape *shapes = mem_array(scene->specimen_count, sizeof *shapes);
  if (!shapes) return scr_fail_memory(error, "the bobs' shapes", scene->specimen_count * sizeof *shapes);
  scr_status status = SCR_OK;
  for (size_t k = 0; k < scene->specimen_count && status == SCR_OK; k++) {
    snprintf(shapes[k].name, sizeof shapes[k].name, "%.31s", scene->specimens[k].name);
    status = make_shape(&scene->specimens[k].shape, &shapes[k], error);
  }
  scr_drawable bobs = {.kind = SCR_DRAW_INSTANCES,
                       .name = "bobs",
                       .element_count = (uint32_t)s->bob_count,
                       .field_count = 6,
                       .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                  {"orientation", "rad", 3, SCR_ENCODING_UINT16},
                                  {"shape", "1", 1, SCR_ENCODING_UINT32},
                                  {"scale", "1", 1, SCR_ENCODING_FLOAT32},
                                  {"amplitudes", "1", 1, SCR_ENCODING_FLOAT32},
                                  {"speed", "m/s", 1, SCR_ENCODING_UINT16}},
                       .shape_count = (uint32_t)scene->specimen_count,
                       .shapes = shapes};
  s->bobs_drawn = (uint32_t)sim->drawable_count;
  if (status == SCR_OK) status = scr_sim_declare_drawable(sim, &bobs, error);
  for (size_t k = 0; k < scene->specimen_count; k++) {
    geo_mesh_clear(&shapes[k].mesh);
    mem_free(shapes[k].modes);
  }
  mem_free(shapes);
  return status;
}

static scr_status declare_threads_and_drops(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state;
  const scr_drawable threads = {.kind = SCR_DRAW_THREADS,
                                .name = "threads",
                                .field_count = 4,
                                .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                           {"radius", "m", 1, SCR_ENCODING_UINT16},
                                           {"tension", "N", 1, SCR_ENCODING_UINT16},
                                           {"nodes", "1", 1, SCR_ENCODING_UINT32}}};
  const scr_drawable drops = {.kind = SCR_DRAW_POINTS,
                              .name = "drops",
                              .varying = true,
                              .field_count = 4,
                              .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                         {"radius", "m", 1, SCR_ENCODING_UINT16},
                                         {"id", "1", 1, SCR_ENCODING_UINT32},
                                         {"age", "s", 1, SCR_ENCODING_UINT16}}};
  const scr_drawable husks = {.kind = SCR_DRAW_SURFACE,
                              .name = "husks",
                              .varying = true,
                              .field_count = 3,
                              .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                         {"age", "s", 1, SCR_ENCODING_UINT16},
                                         {"corners", "1", 3, SCR_ENCODING_UINT32}}};
  s->threads_drawn = (uint32_t)sim->drawable_count;
  SCR_TRY(scr_sim_declare_drawable(sim, &threads, error));
  s->drops_drawn = (uint32_t)sim->drawable_count;
  SCR_TRY(scr_sim_declare_drawable(sim, &drops, error));
  s->husks_drawn = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &husks, error);
}

enum { RINGS = 16, SPOKES = 48, MEMBRANE_VERTICES = 1 + RINGS * SPOKES };

static scr_vec3 membrane_vertex(const showcase_state *s, size_t v)
{
  if (v == 0) return s->options->membrane_centre;
  double r = s->options->membrane_radius * (double)((v - 1) / SPOKES + 1) / RINGS, angle = 2 * M_PI * (double)((v - 1) % SPOKES) / SPOKES;
  return vec3_add(s->options->membrane_centre, vec3(r * cos(angle), r * sin(angle), 0));
}

/* Spokes of the innermost ring about the centre, then two triangles per field between rings. */
static scr_status make_membrane(const showcase_state *s, geo_mesh *mesh, scr_error *error)
{
  for (size_t v = 0; v < MEMBRANE_VERTICES; v++) SCR_TRY(geo_mesh_add_vertex(mesh, membrane_vertex(s, v), error));
  for (uint32_t ring = 0; ring < RINGS; ring++)
    for (uint32_t k = 0; k < SPOKES; k++) {
      uint32_t a = 1 + ring * SPOKES + k, b = 1 + ring * SPOKES + (k + 1) % SPOKES;
      SCR_TRY(geo_mesh_add_triangle(mesh, ring ? a - SPOKES : 0, a, b, 0, error));
      if (ring) SCR_TRY(geo_mesh_add_triangle(mesh, a - SPOKES, b, b - SPOKES, 0, error));
    }
  return SCR_OK;
}

static scr_status declare_membrane(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state;
  scr_modal_shape shape = {.name = "membrane"};
  scr_status status = make_membrane(s, &shape.mesh, error);
  const scr_drawable membrane = {.kind = SCR_DRAW_SURFACE,
                                 .name = "membrane",
                                 .element_count = MEMBRANE_VERTICES,
                                 .field_count = 2,
                                 .fields = {{"position", "m", 3, SCR_ENCODING_UINT16}, {"dent", "m", 1, SCR_ENCODING_UINT16}},
                                 .shape_count = 1,
                                 .shapes = &shape};
  s->membrane_drawn = (uint32_t)sim->drawable_count;
  if (status == SCR_OK) status = scr_sim_declare_drawable(sim, &membrane, error);
  geo_mesh_clear(&shape.mesh);
  return status;
}

scr_status showcase_declare(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_stage(sim, "pull", "Bobs drawn aside", error));
  SCR_TRY(scr_sim_declare_stage(sim, "swing", "Bobs swing", error));
  SCR_TRY(declare_curves(sim, error));
  SCR_TRY(declare_table(sim, error));
  SCR_TRY(declare_bobs(sim, error));
  SCR_TRY(declare_threads_and_drops(sim, error));
  return declare_membrane(sim, error);
}

/* ── values and pictures ─────────────────────────────────────────────────────────────────────────────────────────── */

void showcase_energies(const scr_sim *sim, sim_energies *now)
{
  now->kinetic = showcase_kinetic(sim->state);
  now->other = showcase_potential(sim->state);
}

void showcase_observe(const scr_sim *sim, double *values)
{
  const showcase_state *s = sim->state;
  double tension = 0, *next = values + 1;
  for (size_t i = 0; i < s->bob_count; i++) tension = fmax(tension, showcase_bob_tension(s, &s->bobs[i]));
  *next++ = showcase_potential(s);
  *next++ = tension;
  *next++ = s->bobs[0].angle;
  *next++ = (double)s->drop_count;
  *next++ = s->dent;
}

/* Room for `columns` arrays of `count` numbers. */
static double *room(showcase_state *s, size_t columns, size_t count)
{
  return mem_grow(&s->buffer, &s->buffer_capacity, columns * count + 1, sizeof *s->buffer) ? s->buffer : NULL;
}

static scr_status draw_bobs(showcase_state *s, scr_frame *frame, scr_error *error)
{
  size_t n = s->bob_count;
  double *x = room(s, 9, n), *y = x + n, *z = y + n, *zero = z + n, *turn = zero + n, *scale = turn + n, *stretch = scale + n,
         *speed = stretch + n;
  uint32_t *shape = (uint32_t *)(void *)(speed + n);
  if (!x) return scr_fail_memory(error, "a picture", 9 * n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    const showcase_bob *bob = &s->bobs[i];
    const showcase_specimen *block = scr_scene_specimen(s->scene, bob->specimen);
    scr_vec3 place = showcase_bob_position(bob);
    x[i] = place.x, y[i] = place.y, z[i] = place.z;
    zero[i] = 0;
    turn[i] = -bob->angle; /* about y, so that the body's z axis stays along the thread */
    scale[i] = 1;
    stretch[i] = block->softness * showcase_bob_tension(s, bob) / (bob->mass * -s->scene->rig.gravity.z);
    speed[i] = fabs(bob->length * bob->speed);
    shape[i] = bob->specimen;
  }
  SCR_TRY(scr_frame_field(frame, s->bobs_drawn, 0, x, y, z, error));
  SCR_TRY(scr_frame_field(frame, s->bobs_drawn, 1, zero, turn, zero, error));
  SCR_TRY(scr_frame_field_u32(frame, s->bobs_drawn, 2, shape, error));
  SCR_TRY(scr_frame_field(frame, s->bobs_drawn, 3, scale, NULL, NULL, error));
  SCR_TRY(scr_frame_field_n(frame, s->bobs_drawn, 4, stretch, error));
  return scr_frame_field(frame, s->bobs_drawn, 5, speed, NULL, NULL, error);
}

/* From where a thread begins to its bob; thinner below. */
static scr_status draw_threads(showcase_state *s, scr_frame *frame, scr_error *error)
{
  size_t n = 2 * s->bob_count;
  double *x = room(s, 6, n), *y = x + n, *z = y + n, *radius = z + n, *tension = radius + n;
  uint32_t *nodes = (uint32_t *)(void *)(tension + n);
  if (!x) return scr_fail_memory(error, "a picture", 6 * n * sizeof *x);
  for (size_t i = 0; i < s->bob_count; i++) {
    const showcase_bob *bob = &s->bobs[i];
    const scr_vec3 ends[2] = {bob->pivot, showcase_bob_position(bob)};
    for (size_t k = 0; k < 2; k++) {
      x[2 * i + k] = ends[k].x, y[2 * i + k] = ends[k].y, z[2 * i + k] = ends[k].z;
      radius[2 * i + k] = 0.004 * bob->length * (k ? 0.5 : 1);
      tension[2 * i + k] = showcase_bob_tension(s, bob);
    }
    nodes[i] = 2;
  }
  SCR_TRY(scr_frame_threads(frame, s->threads_drawn, (uint32_t)s->bob_count, nodes, error));
  SCR_TRY(scr_frame_field(frame, s->threads_drawn, 0, x, y, z, error));
  SCR_TRY(scr_frame_field(frame, s->threads_drawn, 1, radius, NULL, NULL, error));
  return scr_frame_field(frame, s->threads_drawn, 2, tension, NULL, NULL, error);
}

static scr_status draw_drops(showcase_state *s, double time, scr_frame *frame, scr_error *error)
{
  size_t n = s->drop_count;
  double *x = room(s, 6, n), *y = x + n, *z = y + n, *radius = z + n, *age = radius + n;
  uint32_t *id = (uint32_t *)(void *)(age + n);
  if (!x) return scr_fail_memory(error, "a picture", 6 * n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    scr_vec3 place = showcase_drop_position(s, &s->drops[i], time);
    x[i] = place.x, y[i] = place.y, z[i] = place.z;
    radius[i] = showcase_drop_radius(s, &s->drops[i], time);
    age[i] = time - s->drops[i].born;
    id[i] = s->drops[i].id;
  }
  SCR_TRY(scr_frame_count(frame, s->drops_drawn, (uint32_t)n, error));
  if (n == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, s->drops_drawn, 0, x, y, z, error));
  SCR_TRY(scr_frame_field(frame, s->drops_drawn, 1, radius, NULL, NULL, error));
  SCR_TRY(scr_frame_field_u32(frame, s->drops_drawn, 2, id, error));
  return scr_frame_field(frame, s->drops_drawn, 3, age, NULL, NULL, error);
}

enum { HUSK_VERTICES = 6, HUSK_TRIANGLES = 8 };

/* Around each drop an octahedron of twice its radius at birth: triangles that come and go with the drops. */
static scr_status draw_husks(showcase_state *s, double time, scr_frame *frame, scr_error *error)
{
  size_t n = s->drop_count * HUSK_VERTICES, triangles = s->drop_count * HUSK_TRIANGLES;
  double *x = room(s, 4 + 2, n + triangles), *y = x + n, *z = y + n, *age = z + n;
  uint32_t(*corners)[3] = (uint32_t(*)[3])(void *)(age + n);
  if (!x) return scr_fail_memory(error, "a picture", 6 * (n + triangles) * sizeof *x);
  for (size_t i = 0; i < s->drop_count; i++) {
    scr_vec3 centre = showcase_drop_position(s, &s->drops[i], time);
    double reach = 2 * s->drops[i].radius;
    for (uint32_t v = 0; v < HUSK_VERTICES;
         v++) { /* 0 and 1 are on the x axis, 2 and 3 on y, 4 and 5 on z; even ones on the positive side */
      double along = v % 2 ? -reach : reach;
      size_t k = HUSK_VERTICES * i + v;
      x[k] = centre.x + (v / 2 == 0 ? along : 0), y[k] = centre.y + (v / 2 == 1 ? along : 0), z[k] = centre.z + (v / 2 == 2 ? along : 0);
      age[k] = time - s->drops[i].born;
    }
    for (uint32_t t = 0; t < HUSK_TRIANGLES; t++) { /* one per octant: bit k set, the negative half of axis k */
      uint32_t first = (uint32_t)(HUSK_VERTICES * i), a = first + (t & 1), b = first + 2 + (t >> 1 & 1), c = first + 4 + (t >> 2);
      bool odd = ((t & 1) + (t >> 1 & 1) + (t >> 2)) % 2 != 0;
      uint32_t *to = corners[HUSK_TRIANGLES * i + t];
      to[0] = a, to[1] = odd ? c : b, to[2] = odd ? b : c;
    }
  }
  SCR_TRY(scr_frame_triangles(frame, s->husks_drawn, (uint32_t)n, (uint32_t)triangles, (const uint32_t(*)[3])corners, error));
  if (n == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, s->husks_drawn, 0, x, y, z, error));
  return scr_frame_field(frame, s->husks_drawn, 1, age, NULL, NULL, error);
}

/* The dent is (1 - (r / R)^2)^2 of that in the middle. */
static scr_status draw_membrane(showcase_state *s, scr_frame *frame, scr_error *error)
{
  size_t n = MEMBRANE_VERTICES;
  double *x = room(s, 4, n), *y = x + n, *z = y + n, *dent = z + n;
  if (!x) return scr_fail_memory(error, "a picture", 4 * n * sizeof *x);
  for (size_t v = 0; v < n; v++) {
    scr_vec3 at = membrane_vertex(s, v);
    double r = vec3_length(vec3_sub(at, s->options->membrane_centre)) / s->options->membrane_radius, share = (1 - r * r) * (1 - r * r);
    x[v] = at.x, y[v] = at.y, z[v] = at.z - s->dent * share;
    dent[v] = s->dent * share;
  }
  SCR_TRY(scr_frame_field(frame, s->membrane_drawn, 0, x, y, z, error));
  return scr_frame_field(frame, s->membrane_drawn, 1, dent, NULL, NULL, error);
}

scr_status showcase_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  showcase_state *s = sim->state;
  SCR_TRY(draw_bobs(s, frame, error));
  SCR_TRY(draw_threads(s, frame, error));
  SCR_TRY(draw_drops(s, sim->time, frame, error));
  SCR_TRY(draw_husks(s, sim->time, frame, error));
  return draw_membrane(s, frame, error);
}
