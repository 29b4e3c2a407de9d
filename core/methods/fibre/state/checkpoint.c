/* The fields of the state, and what of them checkpoints hold. */
#include <math.h>

#include "methods/fibre/state/state.h"

#define NODES(name, member, bits) FIELD_ARRAY(name, fibre_state, member, node_count, bits)
#define ELEMENTS(name, member, bits) FIELD_ARRAY(name, fibre_state, member, element_count, (bits) | FIELD_OPTIONAL)
#define UNKNOWNS(name, member, bits) FIELD_ARRAY(name, fibre_state, member, unknown_count, bits)

const sim_field fibre_fields[FIBRE_FIELDS] = {
    FIELD_ARRAY("fibres", fibre_state, fibres, fibre_count, 0),
    NODES("rest lengths", rest, 0),
    NODES("spans", span, 0),
    NODES("natural strains", natural, 0),
    UNKNOWNS("masses", mass, 0),
    UNKNOWNS("loads", load, 0),
    NODES("holders of nodes", node_holder, 0),
    NODES("holders of edges", edge_holder, 0),
    UNKNOWNS("held unknowns", held, 0),
    NODES("starting places", start, 0),
    NODES("starting directors", start_director, 0),
    UNKNOWNS("places", place, FIELD_SAVED | FIELD_NUMBERS),
    UNKNOWNS("velocities", velocity, FIELD_SAVED | FIELD_NUMBERS),
    NODES("directors", frames.director, FIELD_SAVED | FIELD_NUMBERS),
    NODES("tangents", frames.tangent, FIELD_SAVED | FIELD_NUMBERS),
    NODES("reference twists", frames.reference, FIELD_SAVED | FIELD_NUMBERS),
    UNKNOWNS("reactions", reaction, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("reports", fibre_state, reports, fibre_count, 0),
    UNKNOWNS("places before", base_place, 0),
    UNKNOWNS("velocities before", base_velocity, 0),
    UNKNOWNS("trial places", trial_place, 0),
    UNKNOWNS("trial velocities", trial_velocity, 0),
    UNKNOWNS("gradients", gradient, 0),
    UNKNOWNS("changes", change, 0),
    UNKNOWNS("products", product, 0),
    UNKNOWNS("best velocities", best, 0),
    NODES("predicted tensions", pull, 0),
    NODES("best directors", best_frames.director, 0),
    NODES("best tangents", best_frames.tangent, 0),
    NODES("best twists", best_frames.reference, 0),
    NODES("trial directors", trial.director, 0),
    NODES("trial tangents", trial.tangent, 0),
    NODES("trial twists", trial.reference, 0),
    FIELD_ARRAY("matrices", fibre_state, matrix, band_count, 0),
    FIELD_ARRAY("dampers", fibre_state, damper, band_count, 0),
    UNKNOWNS("places kept", kept, 0),
    UNKNOWNS("velocities kept", kept_velocity, 0),
    NODES("directors kept", kept_frames.director, 0),
    NODES("tangents kept", kept_frames.tangent, 0),
    NODES("twists kept", kept_frames.reference, 0),
    NODES("forces of contacts", node_force, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_LIST("impulses", fibre_state, warm.entry, warm.count, warm.capacity, FIELD_SAVED),
    FIELD_VALUE("times", fibre_state, warm.time_step, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("linear systems", fibre_state, system, band_count, 0),
    UNKNOWNS("right sides", rhs, 0),
    NODES("numbers of edges", edge_ids, 0),
    FIELD_ARRAY("touched fibres", fibre_state, touched, fibre_count, 0),
    FIELD_ARRAY("linearised fibres", fibre_state, linearised, fibre_count, 0),
    FIELD_VALUE("counts", fibre_state, counts, FIELD_SAVED),
    ELEMENTS("strains of elements", strain, FIELD_SAVED | FIELD_NUMBERS),
    ELEMENTS("rates of strains", strain_rate, FIELD_SAVED | FIELD_NUMBERS),
    ELEMENTS("natural strains of elements", natural_strain, 0),
    ELEMENTS("strains before", strain_before, 0),
    ELEMENTS("rates before", rate_before, 0),
    NODES("tensions", tension, FIELD_SAVED | FIELD_NUMBERS),
};

scr_status fibre_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_save(fibre_fields, FIBRE_FIELDS, sim->state, blob, error);
}

static bool is_unit(scr_vec3 v)
{
  return fabs(vec3_length(v) - 1) < 1e-6;
}

scr_status fibre_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  fibre_state *s = sim->state;
  SCR_TRY(fields_load(fibre_fields, FIBRE_FIELDS, s, blob, error));
  if (!isfinite(s->counts.worst_residual + s->counts.penetration + s->counts.residual + s->counts.worst_contact + s->counts.deepest +
                s->counts.deepest_body))
    return scr_sim_damaged("counts", error);
  for (size_t k = 0; k < s->warm.count; k++) /* found by their keys */
    if (!isfinite(s->warm.entry[k].impulse[0] + s->warm.entry[k].impulse[1] + s->warm.entry[k].impulse[2]))
      return scr_sim_damaged("impulses", error);
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (uint32_t e = 0; e < f->edges; e++) {
      scr_vec3 t = s->frames.tangent[f->first + e], d = s->frames.director[f->first + e];
      if (!is_unit(t) || !is_unit(d) || fabs(vec3_dot(t, d)) > 1e-6) return scr_sim_damaged("directors", error);
    }
  }
  fibre_set_loads(s, sim->time);
  fibre_measure(s);
  return SCR_OK;
}
