#include "sim/view/chains.h"

#include <math.h>

#include "base/memory.h"

enum { NODES = 3 /* of a line at most */, COLUMNS = 5 /* x, y, z, radius, force */ };

scr_status chains_declare(scr_sim *sim, uint32_t *drawable, scr_error *error)
{
  const scr_drawable chains = {.kind = SCR_DRAW_THREADS,
                               .name = "force_chains",
                               .field_count = 4,
                               .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                          {"radius", "m", 1, SCR_ENCODING_FLOAT32},
                                          {"force", "N", 1, SCR_ENCODING_FLOAT32},
                                          {"nodes", "1", 1, SCR_ENCODING_UINT32}}};
  *drawable = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &chains, error);
}

/* b: [COLUMNS][n]; of_each: nodes of each line    @return how many lines */
static uint32_t lay(const sim_chain *chains, size_t count, double radius, double *b, size_t n, uint32_t *of_each)
{
  double largest = 0;
  size_t nodes = 0;
  uint32_t lines = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, chains[k].force);
  for (size_t k = 0; k < count; k++) {
    if (!(chains[k].force > 1e-3 * largest)) continue;
    for (uint32_t j = 0; j < chains[k].node_count; j++, nodes++) {
      b[nodes] = chains[k].node[j].x, b[n + nodes] = chains[k].node[j].y, b[2 * n + nodes] = chains[k].node[j].z;
      b[3 * n + nodes] = radius * sqrt(chains[k].force / largest), b[4 * n + nodes] = chains[k].force;
    }
    of_each[lines++] = chains[k].node_count;
  }
  return lines;
}

scr_status chains_draw(scr_frame *frame, uint32_t drawable, const sim_chain *chains, size_t count, double radius, scr_error *error)
{
  size_t n = NODES * (count ? count : 1);
  double *b = mem_array(COLUMNS * n, sizeof *b);
  uint32_t *of_each = mem_array(n, sizeof *of_each);
  scr_status status = b && of_each ? SCR_OK : scr_fail_memory(error, "the lines of force", COLUMNS * n * sizeof *b);
  if (b && of_each) {
    uint32_t lines = lay(chains, count, radius, b, n, of_each);
    status = scr_frame_threads(frame, drawable, lines, of_each, error);
    if (status == SCR_OK && lines > 0) status = scr_frame_field(frame, drawable, 0, b, b + n, b + 2 * n, error);
    if (status == SCR_OK && lines > 0) status = scr_frame_field(frame, drawable, 1, b + 3 * n, NULL, NULL, error);
    if (status == SCR_OK && lines > 0) status = scr_frame_field(frame, drawable, 2, b + 4 * n, NULL, NULL, error);
  }
  mem_free(b);
  mem_free(of_each);
  return status;
}

void chains_estimate(double lines, scr_estimate *estimate)
{
  estimate->frame_line_bytes += lines * (NODES * COLUMNS * sizeof(float) + sizeof(uint32_t));
}
