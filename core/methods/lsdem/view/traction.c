/* Tractions at nodes. */
#include "methods/lsdem/view/traction.h"

#include "methods/lsdem/contact/find_contacts.h"

enum { COLUMNS = 11, CONTACTS_EACH = 8 };

void lsdem_largest_pressures(const lsdem_state *s, double *largest)
{
  for (size_t i = 0; i < s->grain_count; i++) largest[i] = 0;
  for (size_t d = 0; d < s->near.count; d++) {
    const lsdem_direction *direction = &s->near.list[d];
    double most = 0;
    for (size_t k = 0; k < direction->touch_count; k++) most = fmax(most, (double)direction->touches[k].pressure);
    largest[direction->slave] = fmax(largest[direction->slave], most);
    if (direction->master < s->grain_count) largest[direction->master] = fmax(largest[direction->master], most);
  }
}

scr_status lsdem_declare_tractions(scr_sim *sim, scr_error *error)
{
  scr_column columns[COLUMNS] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "grain", .unit = "1", .label = "Number of the grain whose node it is"},
      {.name = "other", .unit = "1", .label = "Number of the grain it lies in; none: a part of the rig"},
      {.name = "part", .unit = "1", .label = "Number of the part it lies in; none: a grain"},
      {.name = "node", .unit = "1", .label = "Number of the node in the grain's shape"},
      {.name = "x", .unit = "m", .label = "Place, x"},
      {.name = "y", .unit = "m", .label = "Place, y"},
      {.name = "z", .unit = "m", .label = "Place, z"},
      {.name = "area", .unit = "m^2", .label = "Area that it presses for"},
      {.name = "pressure", .unit = "Pa", .label = "Traction along the normal"},
      {.name = "shear", .unit = "Pa", .label = "Traction across it"},
  };
  const scr_table table = {.name = "tractions", .label = "Tractions at nodes in contact", .column_count = COLUMNS, .columns = columns};
  lsdem_state *s = sim->state;
  s->traction_table = sim->table_count;
  return s->options->traction_table ? scr_sim_declare_table(sim, &table, error) : SCR_OK;
}

scr_status lsdem_tabulate(scr_sim *sim, scr_error *error)
{
  const lsdem_state *s = sim->state;
  for (size_t d = 0; d < s->near.count && s->options->traction_table; d++) {
    const lsdem_direction *direction = &s->near.list[d];
    const lsdem_view *view = &s->views[direction->slave];
    bool grain = direction->master < s->grain_count;
    const lsdem_law law = lsdem_law_between(s, direction->slave, direction->master);
    for (size_t k = 0; k < direction->touch_count; k++) {
      const lsdem_touch *touch = &direction->touches[k];
      scr_vec3 at = vec3_add(view->position, matrix_times(&view->rotation, lsdem_node_place(view, touch->node)));
      const double row[COLUMNS] = {sim->time,
                                   direction->slave,
                                   grain ? direction->master : (double)NAN,
                                   grain ? (double)NAN : (double)(direction->master - s->grain_count),
                                   touch->node,
                                   at.x,
                                   at.y,
                                   at.z,
                                   direction->weight * view->grain->area[touch->node],
                                   (double)touch->pressure,
                                   law.shear * vec3_length(touch->slip)};
      SCR_TRY(scr_sim_add_row(sim, s->traction_table, row, error));
    }
  }
  return SCR_OK;
}

double lsdem_traction_bytes(const lsdem_state *s)
{
  double rows = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *shape = &s->templates[s->grains[i].shape];
    double area = 0;
    for (size_t k = 0; k < shape->node_count; k++) area += shape->area[k];
    rows += CONTACTS_EACH * fmin(1, shape->contact_area / area) * (double)shape->node_count;
  }
  return rows * COLUMNS * sizeof(double);
}
