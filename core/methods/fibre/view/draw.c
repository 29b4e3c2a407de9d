/* Threads with their tension, curvature and twist; what is declared. */
#include "base/memory.h"
#include "methods/fibre/contact/problem.h"
#include "methods/fibre/view/view.h"

static double least_radius(const fibre_state *s)
{
  double shortest = INFINITY;
  if (!isnan(s->options->drawn_radius)) return s->options->drawn_radius;
  for (size_t k = 0; k < s->fibre_count; k++) shortest = fmin(shortest, s->fibres[k].length);
  return shortest / 500;
}

scr_status fibre_declare(scr_sim *sim, scr_error *error)
{
  fibre_state *s = sim->state;
  const scr_drawable execution = {.kind = SCR_DRAW_THREADS,
                                  .name = "fibres",
                                  .field_count = 7,
                                  .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                             {"radius", "m", 1, SCR_ENCODING_FLOAT32},
                                             {"tension", "N", 1, SCR_ENCODING_FLOAT32},
                                             {"curvature", "1/m", 1, SCR_ENCODING_FLOAT32},
                                             {"twist", "rad/m", 1, SCR_ENCODING_FLOAT32},
                                             {"contact_load", "N/m", 1, SCR_ENCODING_FLOAT32},
                                             {"nodes", "1", 1, SCR_ENCODING_UINT32}}};
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "contacts", "Contacts", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "speed", "Largest speed", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "unsolved_steps", "Unsolved steps", HEADLINE_NEWEST, error));
  s->drawn = (uint32_t)sim->drawable_count;
  s->drawn_radius = least_radius(s);
  SCR_TRY(scr_sim_declare_drawable(sim, &execution, error));
  s->contact_view = (sim_contact_view){.forces = s->options->contact_forces};
  return contact_view_declare(sim, s->drawn_radius, &s->contact_view, error);
}

/* Columns of a picture: x, y, z, radius, tension, curvature, twist, load of contacts, each [nodes]. */
typedef struct columns {
  double *x, *y, *z, *radius, *tension, *curvature, *twist, *load;
} columns;

static columns columns_of(double *buffer, size_t n)
{
  return (columns){buffer, buffer + n, buffer + 2 * n, buffer + 3 * n, buffer + 4 * n, buffer + 5 * n, buffer + 6 * n, buffer + 7 * n};
}

/* Mean tension of the edges of the fibre itself that meet at a node. */
static double tension_at(const fibre_state *s, const rod *r, const fibre *f, uint32_t node)
{
  double sum = 0;
  int count = 0;
  if (f->ring || node > f->begin) sum += fibre_tension(s, f, rod_edge_before(r, node)), count++;
  if (f->ring || node + 1 < f->end) sum += fibre_tension(s, f, node), count++;
  return count ? sum / count : 0;
}

/* One fibre from row `at` on; a ring's first node is its last, too. @return its nodes */
static uint32_t draw_one(const fibre_state *s, const fibre *f, columns c, size_t at)
{
  rod r = fibre_rod(s, f);
  const double *q = s->place + ROD_UNKNOWNS * (size_t)f->first;
  uint32_t count = f->end - f->begin + f->ring;
  for (uint32_t k = 0; k < count; k++, at++) {
    uint32_t i = (f->begin + k) % f->nodes;
    double strain[3] = {0}, natural[3];
    bool bends = i >= rod_first_vertex(&r) && i < f->edges;
    if (bends) fibre_strain(s, f, i, strain, natural);
    scr_vec3 p = rod_position(q, i);
    c.x[at] = p.x, c.y[at] = p.y, c.z[at] = p.z;
    c.radius[at] = fmax(f->radius, s->drawn_radius);
    c.tension[at] = tension_at(s, &r, f, i);
    c.curvature[at] = bends ? hypot(strain[0], strain[1]) / r.span[i] : 0;
    c.load[at] = r.span[i] > 0 ? s->node_force[f->first + i] / r.span[i] : 0;
    c.twist[at] = bends ? strain[2] / r.span[i] : 0;
  }
  return count;
}

/* What contacts pushed with in the last step, of which sim->time_step says how long it was. */
static scr_status draw_contacts(const fibre_state *s, double dt, scr_frame *frame, scr_error *error)
{
  const size_t count = s->problem.count - (s->problem.count > 0 ? s->joints.count : 0);
  if (!s->contact_view.forces) return SCR_OK;
  sim_contact *list = mem_array(count ? count : 1, sizeof *list);
  if (!list) return scr_fail_memory(error, "a picture of contacts", count * sizeof *list);
  for (size_t k = 0; k < count; k++) {
    scr_vec3 place, push = vec3_scale(fibre_contact_impulse(s, k, &place), 1 / dt);
    list[k] = (sim_contact){.node = {place, place, place}, .node_count = 2, .force = vec3_length(push), .push = push};
  }
  scr_status status = contact_view_draw(&s->contact_view, frame, list, count, 0, error);
  mem_free(list);
  return status;
}

scr_status fibre_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  fibre_state *s = sim->state;
  size_t nodes = s->node_count + s->fibre_count, wanted = FIBRE_THREAD_COMPONENTS * nodes + s->fibre_count, at = 0;
  SCR_TRY(mem_reserve(&s->buffer, &s->buffer_capacity, wanted, sizeof *s->buffer, "a picture", error));
  columns c = columns_of(s->buffer, nodes);
  uint32_t *of_each = (uint32_t *)(void *)(s->buffer + FIBRE_THREAD_COMPONENTS * nodes);
  for (size_t k = 0; k < s->fibre_count; k++) at += of_each[k] = draw_one(s, &s->fibres[k], c, at);
  SCR_TRY(scr_frame_threads(frame, s->drawn, (uint32_t)s->fibre_count, of_each, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 0, c.x, c.y, c.z, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 1, c.radius, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 2, c.tension, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 3, c.curvature, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 4, c.twist, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->drawn, 5, c.load, NULL, NULL, error));
  return draw_contacts(s, sim->time_step, frame, error);
}
