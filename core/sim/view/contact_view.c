#include "sim/view/contact_view.h"

#include <math.h>

#include "base/memory.h"

enum {
  NODES = 3,         /* of a thread at most */
  CHAIN_COLUMNS = 5, /* x, y, z, radius, force */
  FORCE_COLUMNS = 6  /* x, y, z, and the force's three */
};

static const double shown = 1e-3; /* of the largest force */

scr_status contact_view_declare(scr_sim *sim, double radius, sim_contact_view *view, scr_error *error)
{
  const scr_drawable chains = {.kind = SCR_DRAW_THREADS,
                               .name = "force_chains",
                               .field_count = 4,
                               .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                          {"radius", "m", 1, SCR_ENCODING_FLOAT32},
                                          {"force", "N", 1, SCR_ENCODING_FLOAT32},
                                          {"nodes", "1", 1, SCR_ENCODING_UINT32}}};
  const scr_drawable forces = {.kind = SCR_DRAW_POINTS,
                               .name = "contact_forces",
                               .radius = radius,
                               .varying = true,
                               .field_count = 2,
                               .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32}, {"contact_force", "N", 3, SCR_ENCODING_FLOAT32}}};
  view->chains_drawn = (uint32_t)sim->drawable_count;
  if (view->chains) SCR_TRY(scr_sim_declare_drawable(sim, &chains, error));
  view->forces_drawn = (uint32_t)sim->drawable_count;
  return view->forces ? scr_sim_declare_drawable(sim, &forces, error) : SCR_OK;
}

static double largest_force(const sim_contact *contacts, size_t count)
{
  double largest = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, contacts[k].force);
  return largest;
}

/* b: [CHAIN_COLUMNS][n]; of_each: nodes of each line    @return how many lines */
static uint32_t lay_chains(const sim_contact *contacts, size_t count, double radius, double *b, size_t n, uint32_t *of_each)
{
  const double largest = largest_force(contacts, count);
  size_t nodes = 0;
  uint32_t lines = 0;
  for (size_t k = 0; k < count; k++) {
    if (!(contacts[k].force > shown * largest)) continue;
    for (uint32_t j = 0; j < contacts[k].node_count; j++, nodes++) {
      b[nodes] = contacts[k].node[j].x, b[n + nodes] = contacts[k].node[j].y, b[2 * n + nodes] = contacts[k].node[j].z;
      b[3 * n + nodes] = radius * sqrt(contacts[k].force / largest), b[4 * n + nodes] = contacts[k].force;
    }
    of_each[lines++] = contacts[k].node_count;
  }
  return lines;
}

static scr_status draw_chains(scr_frame *frame, uint32_t drawable, const sim_contact *contacts, size_t count, double radius, double *b,
                              uint32_t *of_each, scr_error *error)
{
  size_t n = NODES * (count ? count : 1);
  uint32_t lines = lay_chains(contacts, count, radius, b, n, of_each);
  SCR_TRY(scr_frame_threads(frame, drawable, lines, of_each, error));
  if (lines == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, drawable, 0, b, b + n, b + 2 * n, error));
  SCR_TRY(scr_frame_field(frame, drawable, 1, b + 3 * n, NULL, NULL, error));
  return scr_frame_field(frame, drawable, 2, b + 4 * n, NULL, NULL, error);
}

static scr_status draw_forces(scr_frame *frame, uint32_t drawable, const sim_contact *contacts, size_t count, double *b, scr_error *error)
{
  const double largest = largest_force(contacts, count);
  size_t n = count ? count : 1, points = 0;
  for (size_t k = 0; k < count; k++) {
    const sim_contact *c = &contacts[k];
    if (!(c->force > shown * largest)) continue;
    b[points] = c->node[1].x, b[n + points] = c->node[1].y, b[2 * n + points] = c->node[1].z;
    b[3 * n + points] = c->push.x, b[4 * n + points] = c->push.y, b[5 * n + points] = c->push.z;
    points++;
  }
  SCR_TRY(scr_frame_count(frame, drawable, (uint32_t)points, error));
  if (points == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, drawable, 0, b, b + n, b + 2 * n, error));
  return scr_frame_field(frame, drawable, 1, b + 3 * n, b + 4 * n, b + 5 * n, error);
}

scr_status contact_view_draw(const sim_contact_view *view, scr_frame *frame, const sim_contact *contacts, size_t count, double radius,
                             scr_error *error)
{
  size_t n = count ? count : 1;
  double *b = mem_array(NODES * CHAIN_COLUMNS * n, sizeof *b);
  uint32_t *of_each = mem_array(NODES * n, sizeof *of_each);
  scr_status status = b && of_each ? SCR_OK : scr_fail_memory(error, "a picture of contacts", NODES * CHAIN_COLUMNS * n * sizeof *b);
  static_assert(FORCE_COLUMNS <= NODES * CHAIN_COLUMNS, "room for both");
  if (status == SCR_OK && view->chains) status = draw_chains(frame, view->chains_drawn, contacts, count, radius, b, of_each, error);
  if (status == SCR_OK && view->forces) status = draw_forces(frame, view->forces_drawn, contacts, count, b, error);
  mem_free(b);
  mem_free(of_each);
  return status;
}

void contact_view_estimate(bool chains, bool forces, double contacts, scr_estimate *estimate)
{
  if (chains) estimate->frame_line_bytes += contacts * (NODES * CHAIN_COLUMNS * sizeof(float) + sizeof(uint32_t));
  if (forces) estimate->frame_line_bytes += contacts * FORCE_COLUMNS * sizeof(float);
}
