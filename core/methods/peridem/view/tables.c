#include "methods/peridem/view/tables.h"

#include <math.h>

#include "base/memory.h"
#include "scene/part.h"
#include "sim/view/contact_view.h"

enum { GRAIN_COLUMNS = 10, PIECE_COLUMNS = 7, PIECE_NODES = 8 /* of a piece that has a row, at least */ };

scr_status pd_tables_declare(scr_sim *sim, pd_state *s, scr_error *error)
{
  scr_column grains[GRAIN_COLUMNS] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "grain", .unit = "1", .label = "Number of the grain"},
      {.name = "neighbours", .unit = "1", .label = "Grains and parts of the rig that it touches with a force"},
      {.name = "pieces", .unit = "1", .label = "Its pieces, dust too"},
      {.name = "stress_xx", .unit = "Pa", .label = "Mean stress of its nodes, xx; pressure is positive"},
      {.name = "stress_yy", .unit = "Pa", .label = "Mean stress, yy"},
      {.name = "stress_zz", .unit = "Pa", .label = "Mean stress, zz"},
      {.name = "stress_xy", .unit = "Pa", .label = "Mean stress, xy"},
      {.name = "stress_yz", .unit = "Pa", .label = "Mean stress, yz"},
      {.name = "stress_zx", .unit = "Pa", .label = "Mean stress, zx"},
  };
  scr_column pieces[PIECE_COLUMNS] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "grain", .unit = "1", .label = "Number of the grain that it broke off"},
      {.name = "nodes", .unit = "1", .label = "Nodes"},
      {.name = "mass", .unit = "kg", .label = "Mass"},
      {.name = "length", .unit = "m", .label = "Longest edge of the block with its second moments"},
      {.name = "breadth", .unit = "m", .label = "Middle edge"},
      {.name = "thickness", .unit = "m", .label = "Shortest edge"},
  };
  const scr_table of_grains = {.name = "grains", .label = "Grains", .column_count = GRAIN_COLUMNS, .columns = grains};
  const scr_table of_pieces = {.name = "pieces", .label = "Pieces of 8 nodes or more", .column_count = PIECE_COLUMNS, .columns = pieces};
  s->grain_table = sim->table_count;
  if (s->options->grain_table) SCR_TRY(scr_sim_declare_table(sim, &of_grains, error));
  s->piece_table = sim->table_count;
  return s->options->piece_table ? scr_sim_declare_table(sim, &of_pieces, error) : SCR_OK;
}

fragment_summary pd_count_fragments(const pd_state *s, pd_forms *forms)
{
  fragment_summary summary = {.whole = 0};
  for (size_t b = 0; b < s->body_count; b++) summary.whole = fmax(summary.whole, s->bodies[b].node_mass * (double)s->bodies[b].node_count);
  s->backend->count_pieces(s, &summary, forms);
  return summary;
}

/* Where rows go while pieces are counted. */
typedef struct piece_rows {
  scr_sim *sim;
  scr_error *error;
} piece_rows;

static scr_status add_piece(void *user, size_t grain, size_t nodes, double mass, const double edges[3])
{
  const piece_rows *rows = user;
  const pd_state *s = rows->sim->state;
  const double row[PIECE_COLUMNS] = {rows->sim->time, (double)grain, (double)nodes, mass, edges[0], edges[1], edges[2]};
  return nodes < PIECE_NODES ? SCR_OK : scr_sim_add_row(rows->sim, s->piece_table, row, rows->error);
}

static scr_status add_grains(scr_sim *sim, scr_error *error)
{
  const pd_state *s = sim->state;
  pd_grain_stress *grains = mem_array(s->grain_count, sizeof *grains);
  if (!grains) return scr_fail_memory(error, "the rows of grains", s->grain_count * sizeof *grains);
  scr_status status = s->backend->grain_stresses(s, grains, error);
  for (size_t g = 0; g < s->grain_count && status == SCR_OK; g++) {
    const double *p = grains[g].stress;
    const double row[GRAIN_COLUMNS] = {sim->time, (double)g, grains[g].neighbours, grains[g].pieces, p[0], p[1], p[2], p[3], p[4], p[5]};
    status = scr_sim_add_row(sim, s->grain_table, row, error);
  }
  mem_free(grains);
  return status;
}

scr_status pd_tabulate(scr_sim *sim, scr_error *error)
{
  const pd_state *s = sim->state;
  piece_rows rows = {sim, error};
  pd_forms forms = {.each = s->options->piece_table ? add_piece : NULL, .user = &rows};
  fragment_summary summary = pd_count_fragments(s, &forms);
  SCR_TRY(forms.status);
  SCR_TRY(fragments_add_rows(sim, s->fragment_table, &summary, error));
  return s->options->grain_table ? add_grains(sim, error) : SCR_OK;
}

void pd_tables_estimate(const scr_scene *scene, scr_estimate *estimate)
{
  const pd_options *options = scene->options;
  scr_part parts[SCR_PART_LIMIT];
  double grains = 0, nodes = (double)estimate->node_count;
  for (size_t i = 0; i < scene->specimen_count; i++) grains += (double)scene->specimens[i].position_count;
  double rig = fmin(3, (double)scr_rig_parts(&scene->rig, parts));
  /* From above: a grain touches twelve others and three parts. */
  contact_view_estimate(options->force_chains, options->contact_forces, grains * (6 + rig), estimate);
  if (options->grain_table) estimate->frame_row_bytes += grains * GRAIN_COLUMNS * sizeof(double);
  if (options->piece_table) estimate->frame_row_bytes += nodes / PIECE_NODES * PIECE_COLUMNS * sizeof(double);
}
