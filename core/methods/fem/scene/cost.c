/* The cost of a run. */
#include "methods/fem/scene/cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "linalg/sparse.h"
#include "methods/fem/element/element.h"
#include "sim/cost.h"

/* Bytes: of a node, its vectors (some 45 of 3 numbers) and pictures; of an element, Gauss points (2.2 kB), modes twice, slots, colours and
 * its part of the surface; of a block, 9 numbers of stiffness twice, of the matrix and of the copy that is factorised (half), with indices.
 * */
static const double node_bytes = 1300, hex_bytes = 3300, block_bytes = 9 * (8 * 2 + 12 + 8) + 20, factor_bytes = 8 * 1.3, fixed_bytes = 6e6;
/* Bytes for contacts: of a node, 48 right-hand sides with what their solution needs; of a pair of unknowns that contacts push, their
 * compliance (in each metric), the contact problem and what the stronger solvers copy. */
static const double column_bytes = 3 * 48 * 8 * 5, compliance_bytes = 18, problem_bytes = 32, unknowns_limit = 6000;
/* Seconds on one thread of the machine of the tests, fitted to the gallery and to cubes and beams of 8^3 to 24^3 elements
 * (tests/studies/study_gallery.py); nearest points of edges and faces by random bends, whose rollers take more than all elements
 * of a slender bar. */
enum { START, STEP, FORCES, HEX, NODE, OPERATION, ENTRY, SOLVED_ENTRY, ANALYSED_NODE, PAIR, BETWEEN, KERNELS };
static const sim_cost kernels[KERNELS] = {
    [START] = {"the program's start", 0.05},
    [STEP] = {"an iteration, however small", 1.8e-5},
    [FORCES] = {"an element's forces in an iteration", 6e-7},
    [HEX] = {"an element's tangent", 9e-6},
    [NODE] = {"a node's rows of the matrix", 3e-6},
    [OPERATION] = {"a floating-point operation of a factorisation", 2.2e-11},
    [ENTRY] = {"an entry of the factor in a factorisation", 1.2e-8},
    [SOLVED_ENTRY] = {"an entry of the factor in a solution", 1.7e-9},
    [ANALYSED_NODE] = {"a node's analysis and mesh", 4.5e-5},
    [PAIR] = {"a pair of contacts with friction in an iteration", 4e-8},
    [BETWEEN] = {"a node that faces a part which is no plane, in an iteration", 1.2e-4},
};
/* Of an element's tangent: with incompatible modes, and where only forces change. Of a pair of contacts: without friction, a row each. */
static const double mode_share = 1.8, linear_share = 0.2, smooth_share = 1 / 9.0;
/* Iterations of a step; the share of them with a new tangent and factor, small strains and impacts keep them where slender things that bend
 * as far as that, rad, don't; columns of the compliance that an iteration solves for anew, of all; the share of the steps that is not
 * flown; what a contact that is not there at the start counts, nearer (in searches by edges and faces, too, which end when a body has
 * bounced off) and farther than the body's size. */
static const double usual_iterations = 2.8, renewed_touching = 0.03, renewed_bending = 0.5, much_turned = 0.01, strained = 0.03,
                    crushed = 0.1, crushed_share = 0.3, renewed_columns = 0.007, walked = 0.33, later = 0.4, passing = 0.2, seldom = 0.1;

double fem_cost_floor(const fem_cost *cost)
{
  return fixed_bytes + cost->nodes * (node_bytes + 20 * block_bytes) + cost->hexes * hex_bytes;
}

double fem_cost_face(fem_cost *cost, const double *distance, size_t count, double edge, double size)
{
  double nearest = INFINITY, facing = 0, first = 0;
  for (size_t k = 0; k < count; k++) nearest = fmin(nearest, distance[k]);
  for (size_t k = 0; k < count; k++) facing += distance[k] < nearest + 0.9 * edge, first += distance[k] < nearest + 0.4 * edge;
  bool near = nearest < size, touch = nearest < 0.5 * edge;
  cost->contacts += facing * (near ? 1 : seldom);
  cost->touching += first * (touch ? 1 : near ? later : seldom);
  return facing * (touch ? 1 : near ? passing : seldom);
}

/* How far the rig goes, m. */
static double rig_travel(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  double speed = 0;
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    if (parts[p].program) speed = fmax(speed, scr_program_peak_velocity(parts[p].program, scene->time.duration));
  return speed * scene->time.duration;
}

void fem_cost_bend(fem_cost *cost, const scr_scene *scene, size_t specimen, const geo_hexes *mesh)
{
  const scr_specimen *one = &scene->specimens[specimen];
  const fem_material *material = fem_material_of(scene, one->material);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, length = 0, thickness = INFINITY;
  for (size_t n = 0; n < mesh->node_count; n++)
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], mesh->node[n][i]), high[i] = fmax(high[i], mesh->node[n][i]);
  for (int i = 0; i < 3; i++) length = fmax(length, high[i] - low[i]), thickness = fmin(thickness, high[i] - low[i]);
  double volume = geo_hexes_measure(mesh).volume, squared = length * length, section = volume / length * thickness * thickness;
  double load = vec3_length(fem_specimen_of(scene, specimen)->load);
  double weight = material->density * volume * vec3_length(scene->rig.gravity);
  double bent = (6 * load + 2 * weight) * squared / (material->young_modulus * section); /* F l^2/(2 E I), w l^2/(6 E I) */
  double spin = vec3_length(one->angular_velocity);
  double frequency = thickness / squared * sqrt(material->young_modulus / material->density); /* rad/s: 3.516/sqrt(12) of that, 1.01 */
  cost->turn = fmax(cost->turn, bent + spin * scene->time.duration);
  cost->turn_rate = fmax(cost->turn_rate, bent * frequency + spin);
  cost->strain = fmax(cost->strain, crushed_share * (rig_travel(scene) / length - crushed));
  cost->strain = fmax(cost->strain, vec3_length(one->velocity) / sqrt(material->young_modulus / material->density));
}

double fem_cost_memory(const fem_cost *cost, const fem_options *options)
{
  bool mass = options->impact == FEM_IMPACT_MASS && cost->contacts > 0; /* has a factor and a compliance of its own */
  double unknowns = fmin(3 * cost->contacts, unknowns_limit), contacts = cost->contacts > 0 ? cost->nodes * column_bytes : 0;
  contacts += unknowns * unknowns * (compliance_bytes * (mass ? 2 : 1) + problem_bytes);
  return fixed_bytes + cost->nodes * node_bytes + cost->hexes * hex_bytes + cost->blocks * block_bytes +
         cost->factor * factor_bytes * (mass ? 2 : 1) + contacts;
}

double fem_cost_state(const fem_cost *cost)
{
  return 65536 + cost->nodes * (6 * sizeof(double) + 500) + cost->hexes * FEM_MODE_UNKNOWNS * sizeof(double);
}

void fem_cost_run(const fem_cost *cost, const fem_options *options, double steps, double frames, scr_estimate *estimate)
{
  bool modes = options->element == FEM_INCOMPATIBLE_MODES, linear = options->law == FEM_LINEAR, touches = cost->touching > 0;
  double tangents = cost->hexes * (modes ? mode_share : 1), unknowns = fmin(3 * cost->touching, unknowns_limit);
  double passes = steps * (linear ? (touches ? 1.8 : 1) : usual_iterations) * (options->flight ? walked : 1),
         changed = linear ? linear_share : 1;
  double turned = fmin(cost->turn, cost->turn_rate * estimate->time_step);
  double renewed = linear    ? 0
                   : touches ? renewed_touching + renewed_bending * fmin(1, fmax(0, cost->strain / strained - 1))
                             : renewed_bending * fmin(1, 0.02 + turned / much_turned),
         factorised = 1 + renewed * passes;
  double columns = touches && !linear ? renewed_columns * fmax(48, unknowns) : 0;
  const double count[KERNELS] = {[START] = 1,
                                 [STEP] = passes,
                                 [FORCES] = tangents * passes * changed,
                                 [HEX] = tangents * (factorised + 0.5 * frames),
                                 [NODE] = factorised * cost->nodes,
                                 [OPERATION] = factorised * cost->operations,
                                 [ENTRY] = factorised * cost->factor,
                                 [SOLVED_ENTRY] = passes * cost->factor * ((touches ? 2 : 1) + columns),
                                 [ANALYSED_NODE] = cost->nodes,
                                 [PAIR] = passes * (cost->has_friction ? 1 : smooth_share) * cost->touching * cost->touching,
                                 [BETWEEN] = passes * cost->between};
  sim_cost_add(kernels, KERNELS, count, estimate);
}

static int by_pair(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return (a[1] > b[1]) - (a[1] < b[1]);
}

scr_status fem_cost_add(fem_cost *cost, const geo_hexes *mesh, size_t count)
{
  size_t pairs = mesh->hex_count * FEM_CORNERS * FEM_CORNERS, kept = 0;
  uint32_t(*place)[2] = mem_array(pairs, sizeof *place);
  la_sparse graph = {0};
  la_factor *factor = NULL;
  if (!place) return SCR_NO_MEMORY;
  for (size_t e = 0, at = 0; e < mesh->hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++, at++) place[at][0] = mesh->hex[e][a], place[at][1] = mesh->hex[e][b];
  qsort(place, pairs, sizeof *place, by_pair);
  for (size_t k = 0; k < pairs; k++)
    if (k == 0 || by_pair(place[k], place[kept - 1]) != 0) place[kept][0] = place[k][0], place[kept][1] = place[k][1], kept++;
  scr_status status = la_sparse_from_pattern(mesh->node_count, mesh->node_count, (const uint32_t(*)[2])place, kept, &graph, NULL);
  if (status == SCR_OK) status = la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL);
  if (status == SCR_OK) status = la_factor_analyse(factor, &graph, NULL);
  if (status == SCR_OK) {
    la_factor_cost factor_cost = la_factor_estimate(factor);
    cost->blocks += (double)kept * (double)count;
    cost->factor += 9 * factor_cost.entries * (double)count;
    cost->operations += 27 * factor_cost.operations * (double)count;
  }
  la_factor_destroy(factor);
  la_sparse_clear(&graph);
  mem_free(place);
  return status;
}
