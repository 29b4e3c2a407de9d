/** One grain whose level set follows its modes in a chosen way, held against the distance of its deformed surface: what the comparison of
 *  ways and its test share. */
#ifndef SCREE_SUPPORT_FOLLOW_CASE_H
#define SCREE_SUPPORT_FOLLOW_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "geometry/mesh/mesh_distance.h"
#include "methods/lsdem/contact/query.h"

/** A way, and how finely it is gone. */
typedef struct follow_way {
  const char *name;
  int following;      /**< lsdem_following */
  int64_t iterations; /**< of pulling back */
  size_t samples;     /**< of each mode, where they are precomputed */
  int updates;        /**< in which the amplitudes are reached, where a level set is carried along */
} follow_way;

typedef struct follow_result {
  double largest, rms;            /**< over the grid spacing, of phi within 3/4 of it inside the surface */
  double query;                   /**< s, of phi and its slope, a mean */
  double update;                  /**< s, of one update of a grain's own level set; 0 where it has none */
  double per_grain, per_template; /**< bytes */
} follow_result;

/** What is deformed: a shape, its set of modes, amplitudes and nodes. */
typedef struct follow_grain {
  scr_shape shape;
  int modes;
  double spacing, grid, largest;      /**< m; `largest`: what samples reach to */
  double amplitude[LSDEM_MODE_LIMIT]; /**< m */
} follow_grain;

static inline void follow_stop(const char *why)
{
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static inline lsdem_template *follow_template(const follow_grain *what, double spacing, int following, size_t samples)
{
  lsdem_template *grain = calloc(1, sizeof *grain);
  scr_error error = {0};
  lsdem_recipe recipe = {.shape = &what->shape,
                         .form = {.power = 2},
                         .spacing = spacing,
                         .grid = what->grid,
                         .unbiased = true,
                         .density = 1,
                         .young = 1,
                         .poisson = 0.3,
                         .modes = what->modes,
                         .amplitude = what->largest,
                         .stiffness = NAN,
                         .modal_mass = NAN,
                         .table = "",
                         .table_factor = 1,
                         .following = following,
                         .samples = samples};
  if (!grain || lsdem_template_make(grain, &recipe, execution_of(1), &error) != SCR_OK ||
      lsdem_follow_prepare(grain, &recipe, &error) != SCR_OK)
    follow_stop(error.message);
  return grain;
}

static inline void follow_end(lsdem_template *grain)
{
  lsdem_template_clear(grain);
  free(grain);
}

/** The deformed surface of a grain with `spacing` between its nodes: what is held to be exact. */
static inline geo_mesh_tree *follow_exact(const follow_grain *what, double spacing)
{
  lsdem_template *grain = follow_template(what, spacing, LSDEM_FOLLOW_PULL_BACK, 0);
  geo_mesh_tree *tree = NULL;
  scr_error error = {0};
  for (size_t k = 0; k < grain->node_count; k++)
    for (size_t a = 0; a < grain->mode_count; a++)
      grain->surface.vertex[k] =
          vec3_add(grain->surface.vertex[k], vec3_scale(grain->mode_at_node[a * grain->node_count + k], what->amplitude[a]));
  if (geo_mesh_tree_create(&grain->surface, &tree, &error) != SCR_OK) follow_stop(error.message);
  follow_end(grain);
  return tree;
}

static inline double follow_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The distance at a place in own axes as contacts take it, phi over its slope; false: outside of what the way knows. */
static inline bool follow_phi(const lsdem_view *view, scr_vec3 place, int64_t iterations, double *value)
{
  scr_vec3 slope = vec3(1, 0, 0);
  *value = NAN;
  if (view->grain->following == LSDEM_FOLLOW_PULL_BACK) {
    scr_vec3 reference = lsdem_pull_back(view, place, iterations);
    if (!level_set_gradient_at(&view->grain->field, reference, value, &slope) || !lsdem_deformed_slope(view, reference, &slope))
      return false;
  } else {
    (void)lsdem_follow_at(view, place, iterations, value, &slope);
  }
  *value /= fmax(vec3_length(slope), 0.5);
  return isfinite(*value);
}

/** How a way does: its error at places between 0 and 3/4 of a grid spacing below the deformed surface, evenly strewn over the grain's box,
 *  and its costs.
 *  @param exact of follow_exact    @param places how many are strewn; most are elsewhere    @param turns how often each is asked for the
 *  time */
static inline follow_result follow_measure(const follow_grain *what, const follow_way *way, const geo_mesh_tree *exact, size_t places,
                                           int turns)
{
  lsdem_template *grain = follow_template(what, what->spacing, way->following, way->samples);
  lsdem_followed followed = {0};
  scr_error error = {0};
  follow_result result = {0};
  double started = follow_clock(), moved = 0;
  for (int k = 1; k <= way->updates; k++) {
    double amplitude[LSDEM_MODE_LIMIT];
    for (size_t a = 0; a < grain->mode_count; a++) amplitude[a] = what->amplitude[a] * k / way->updates;
    if (lsdem_follow_update(&followed, grain, amplitude, 0, true, &error) != SCR_OK) follow_stop(error.message);
  }
  if (way->updates) result.update = (follow_clock() - started) / way->updates;
  for (size_t a = 0; a < grain->mode_count; a++) moved += fabs(what->amplitude[a]) * grain->mode_peak[a];
  lsdem_view view = {.grain = grain,
                     .rotation = matrix_identity(),
                     .amplitude = what->amplitude,
                     .moved = moved,
                     .deformed = followed.field.value ? &followed.field : NULL};
  lsdem_view_rigid(&view);
  geo_box box = geo_mesh_tree_box(exact);
  scr_vec3 *at = calloc(places, sizeof *at);
  size_t count = 0;
  uint64_t state = 7;
  double squares = 0;
  for (size_t k = 0; k < places; k++) {
    double x = random_uniform(&state), y = random_uniform(&state), z = random_uniform(&state), value;
    scr_vec3 p =
        vec3(box.low.x + x * (box.high.x - box.low.x), box.low.y + y * (box.high.y - box.low.y), box.low.z + z * (box.high.z - box.low.z));
    double right = geo_mesh_nearest(exact, p).distance;
    if (!(right < 0 && right > -0.75 * what->grid)) continue;
    at[count++] = p;
    if (!follow_phi(&view, p, way->iterations, &value)) value = 1e3 * what->grid; /* a place inside that the way does not know */
    double off = fabs(value - right) / what->grid;
    result.largest = fmax(result.largest, off);
    squares += off * off;
  }
  result.rms = sqrt(squares / (double)count);
  started = follow_clock();
  size_t below = 0;
  for (int turn = 0; turn < turns; turn++)
    for (size_t k = 0; k < count; k++) {
      lsdem_answer answer;
      below += lsdem_query(&view, at[k], way->iterations, &answer) == LSDEM_BELOW;
    }
  if (turns) result.query = (follow_clock() - started) / ((double)turns * (double)count);
  if (turns && below == 0) follow_stop("no place is below the surface");
  lsdem_follow_bytes(way->following, (size_t)grain->field.count[0] * grain->field.count[1] * grain->field.count[2], grain->mode_count,
                     grain->sample_count, &result.per_grain, &result.per_template);
  level_set_clear(&followed.field);
  free(at);
  follow_end(grain);
  return result;
}

/** The specification's bar of 160 x 4 x 4, bent by 5, and a ball of radius 10 squeezed to three different axes; grid spacing 1. */
static const follow_grain follow_bar = {.shape = {.kind = SCR_SHAPE_BOX, .size = {160, 4, 4}},
                                        .modes = LSDEM_MODES_BENDING,
                                        .spacing = 1,
                                        .grid = 1,
                                        .largest = 5,
                                        .amplitude = {5}};
static const follow_grain follow_ball = {.shape = {.kind = SCR_SHAPE_SPHERE, .radius = 10},
                                         .modes = LSDEM_MODES_STRETCH,
                                         .spacing = 1,
                                         .grid = 1,
                                         .largest = 2,
                                         .amplitude = {-1.6, 0.7, 0.9}};

#endif
