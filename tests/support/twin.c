#include "tests/support/twin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "server/study/calibration/target.h"

enum { SAMPLES = 2000, POINTS = 200, SLOTS = 4, MOST_RUNS = 200 };

typedef struct twin_curve {
  double x[SAMPLES], y[SAMPLES];
  size_t count;
} twin_curve;

/* ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static char *fill_in(const char *text, const double *values)
{
  text_builder out = {0};
  char number[NUMBER_TEXT_BYTES];
  for (; *text; text++) {
    if (*text == '@')
      text_add_string(&out, number_text(values[*++text - '0'], number));
    else
      text_add_character(&out, *text);
  }
  return text_take(&out);
}

static scr_status follow(scr_sim *sim, const twin_scene *of, double duration, twin_curve *curve, scr_error *error)
{
  size_t count = scr_sim_series_count(sim), at = 0;
  while (at < count && strcmp(scr_sim_series(sim, at)->name, of->y) != 0) at++;
  double *values = calloc(count, sizeof *values);
  scr_status status = values && at < count ? SCR_OK : SCR_BAD_USAGE;
  while (status == SCR_OK && curve->count < SAMPLES) {
    double time = scr_sim_time(sim);
    if (time >= of->interval * (double)curve->count - 1e-9) {
      scr_sim_observe(sim, values);
      curve->x[curve->count] = time;
      curve->y[curve->count++] = values[at];
    }
    if (time >= duration) break;
    status = scr_sim_step(sim, error);
  }
  free(values);
  return status;
}

static scr_status run(const twin_scene *of, const double *values, twin_curve *curve, scr_error *error)
{
  char *text = fill_in(of->text, values);
  scr_scene *scene;
  scr_problems problems = {0};
  scr_sim *sim = NULL;
  curve->count = 0;
  scr_status status = scr_scene_parse(text, strlen(text), NULL, &scene, &problems);
  if (status != SCR_OK && problems.count) snprintf(error->message, sizeof error->message, "%s", problems.items[0].detail);
  if (status == SCR_OK) status = scr_sim_create(scene, 1, &sim, error);
  const char *duration = strstr(text, "\"duration\": ");
  if (status == SCR_OK) status = follow(sim, of, strtod(duration + 12, NULL), curve, error);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  free(text);
  return status;
}

/* ── experiments ────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct laboratory {
  const twin_model *model;
  twin_curve measured[TWIN_SCENES], simulated[TWIN_SCENES];
  double scatter[TWIN_SCENES];
  target targets[TWIN_SCENES];
  double points[MOST_RUNS * OPTIMISER_UNKNOWNS];
  double *residuals; /* [MOST_RUNS][scenes POINTS] */
  size_t run_count;
} laboratory;

static scr_status measure(laboratory *lab, const double *truth, uint64_t *seed, scr_error *error)
{
  const twin_model *model = lab->model;
  for (size_t s = 0; s < model->scene_count; s++) {
    twin_curve *curve = &lab->measured[s];
    double low = INFINITY, high = -INFINITY;
    SCR_TRY(run(&model->scenes[s], truth, curve, error));
    for (size_t i = 0; i < curve->count; i++) {
      low = fmin(low, curve->y[i]);
      high = fmax(high, curve->y[i]);
    }
    lab->scatter[s] = model->noise * (high - low);
    for (size_t i = 0; i < curve->count; i++) curve->y[i] += lab->scatter[s] * sqrt(3) * (2 * random_uniform(seed) - 1);
    lab->targets[s] = (target){.is_curve = true,
                               .curve = {.x = curve->x, .y = curve->y, .count = curve->count},
                               .options = {.points = POINTS, .scatter = lab->scatter[s]}};
  }
  return SCR_OK;
}

static scr_status evaluate(laboratory *lab, const double *point, double *residuals, double *value, scr_error *error)
{
  target_result results[TWIN_SCENES];
  for (size_t s = 0; s < lab->model->scene_count; s++) {
    twin_curve *curve = &lab->simulated[s];
    SCR_TRY(run(&lab->model->scenes[s], point, curve, error));
    results[s] = (target_result){.curve = {.x = curve->x, .y = curve->y, .count = curve->count}};
  }
  return target_residuals(lab->targets, results, lab->model->scene_count, residuals, value, error);
}

/* The estimate by the runs so far. */
static scr_status conclude(laboratory *lab, size_t run_count, estimate *found, scr_error *error)
{
  estimate_block blocks[TWIN_SCENES];
  target_blocks(lab->targets, lab->model->scene_count, blocks);
  estimate_runs runs = {.unknowns = lab->model->unknowns,
                        .unknown_count = lab->model->unknown_count,
                        .run_count = run_count,
                        .residual_count = lab->model->scene_count * POINTS,
                        .blocks = blocks,
                        .block_count = lab->model->scene_count,
                        .points = lab->points,
                        .residuals = lab->residuals};
  return estimate_make(&runs, 1 - 0.05 / (double)lab->model->unknown_count, found, error);
}

/* The least place of the fit of all runs: an optimiser_model, as calibration_progress.c has it. */
static bool least_of_fit(void *data, double *point)
{
  laboratory *lab = data;
  estimate found;
  if (conclude(lab, lab->run_count, &found, NULL) != SCR_OK) return false;
  for (size_t u = 0; u < found.count; u++) point[u] = found.parameters[u].best;
  return true;
}

static scr_status calibrate(laboratory *lab, optimiser *search, twin_result *out, scr_error *error)
{
  size_t n = lab->model->unknown_count, m = lab->model->scene_count * POINTS, count;
  double asked[SLOTS * OPTIMISER_UNKNOWNS];
  optimiser_set_model(search, least_of_fit, lab);
  for (;;) {
    SCR_TRY(optimiser_ask(search, SLOTS, asked, &count, error));
    if (count == 0) break;
    for (size_t k = 0; k < count; k++) {
      double *point = lab->points + lab->run_count * n, value;
      memcpy(point, asked + k * n, n * sizeof *point);
      SCR_TRY(evaluate(lab, point, lab->residuals + lab->run_count++ * m, &value, error));
      SCR_TRY(optimiser_tell(search, point, value, 0, error));
    }
  }
  out->runs = lab->run_count * lab->model->scene_count;
  return conclude(lab, lab->run_count, &out->found, error);
}

scr_status twin_experiment(const twin_model *model, uint64_t seed, twin_result *out, scr_error *error)
{
  laboratory *lab = calloc(1, sizeof *lab);
  optimiser *search = NULL;
  *out = (twin_result){0};
  optimiser_options options = {.method = OPTIMISER_BOBYQA, .point_limit = model->runs / model->scene_count};
  if (!lab) return SCR_NO_MEMORY;
  lab->model = model;
  lab->residuals = calloc(MOST_RUNS * model->scene_count * POINTS, sizeof(double));
  for (size_t i = 0; i < model->unknown_count; i++) {
    const optimiser_unknown *u = &model->unknowns[i];
    double z = 0.2 + 0.6 * random_uniform(&seed);
    out->truth[i] = u->logarithmic ? u->low * pow(u->high / u->low, z) : u->low + z * (u->high - u->low);
  }
  scr_status status = lab->residuals ? measure(lab, out->truth, &seed, error) : SCR_NO_MEMORY;
  if (status == SCR_OK) status = optimiser_create(model->unknowns, model->unknown_count, &options, &search, error);
  if (status == SCR_OK) status = calibrate(lab, search, out, error);
  out->covered = out->undetermined = status == SCR_OK;
  for (size_t i = 0; i < model->unknown_count; i++) {
    const estimate_parameter *of = &out->found.parameters[i];
    out->covered &= of->low <= out->truth[i] && out->truth[i] <= of->high;
    out->undetermined &= of->undetermined == (i + 1 == model->idle);
  }
  optimiser_destroy(search);
  free(lab->residuals);
  free(lab);
  return status;
}

/* ── models ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

#define SLIDING_BLOCK                                                                                                                      \
  "{\"scree\": 1, \"name\": \"slide\", \"method\": \"rigid\", \"materials\": [{\"name\": \"wood\", \"density\": @1}],"                     \
  "\"contact\": {\"friction_coefficient\": @0}, \"specimens\": [{\"name\": \"block\", \"material\": \"wood\","                             \
  "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": {\"type\": \"single\", \"position\":"                         \
  "[0, 0, 0.05]}, \"velocity\": [2, 0, 0]}], \"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]},"                                   \
  "\"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"width\": 5}, \"position\": [0.4, 0, 0]}],"                     \
  "\"time\": {\"duration\": 0.5, \"time_step\": 0.005}, \"output\": {\"frame_interval\": 0.5, \"sample_interval\": 0.005}}"

static const optimiser_unknown rigid_unknowns[] = {{"friction", 0.1, 1, false}, {"density", 300, 3000, true}};
/* The friction of a sliding block: what two curves of it show. `more`: members of one of them. */
#define TWIN_OF_RIGID(title, curve, ...)                                                                                                   \
  {                                                                                                                                        \
    .name = (title), .unknowns = rigid_unknowns, .unknown_count = 2, .scene_count = 1, .runs = 60, .tries = 100, .noise = 0.05,            \
    .scenes = {{.y = (curve), .interval = 0.005, .text = SLIDING_BLOCK}}, __VA_ARGS__                                                      \
  }
const twin_model twin_rigid = TWIN_OF_RIGID("rigid", "energy.friction", .idle = 0);
const twin_model twin_idle = TWIN_OF_RIGID("idle", "first.x", .idle = 2);

static const optimiser_unknown bdem_unknowns[] = {{"young_modulus", 3e5, 1e7, true}, {"friction", 0.05, 0.45, false}};
const twin_model twin_bdem = {
    .name = "bdem",
    .unknowns = bdem_unknowns,
    .unknown_count = 2,
    .scene_count = 2,
    .runs = 60,
    .tries = 10,
    .noise = 0.05,
    .scenes = {
        {.y = "grip.low.torque_y",
         .interval = 0.001,
         .text = "{\"scree\": 1, \"name\": \"sag\", \"method\": \"bdem\", \"materials\": [{\"name\": \"soft\", \"density\": 1000, "
                 "\"young_modulus\": @0}], \"specimens\": [{\"name\": \"beam\", \"material\": \"soft\", \"spacing\": 0.005, \"shape\":"
                 "{\"type\": \"box\", \"size\": [0.06, 0.01, 0.01]}, \"placement\": {\"type\": \"single\", \"position\": [0.02, 0, 0]}}],"
                 "\"rig\": {\"type\": \"grips\", \"axis\": \"x\", \"low_end\": 0, \"gravity\": [0, 0, -9.81]}, \"time\":"
                 "{\"duration\": 0.1}, \"output\": {\"frame_interval\": 0.1, \"sample_interval\": 0.001}}"},
        {.y = "energy.kinetic",
         .interval = 0.001,
         .text = "{\"scree\": 1, \"name\": \"slide\", \"method\": \"bdem\", \"materials\": [{\"name\": \"soft\", \"density\": 1000,"
                 "\"young_modulus\": @0}], \"contact\": {\"friction_coefficient\": @1, \"damping_ratio\": 0.5},"
                 "\"specimens\": [{\"name\": \"block\", \"material\": \"soft\", \"spacing\": 0.01, \"shape\": {\"type\": \"box\", \"size\":"
                 "[0.02, 0.02, 0.02]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.01]}}], \"rig\": {\"type\": \"none\","
                 "\"gravity\": [4.14589, 0, -8.89088]}, \"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\","
                 "\"width\": 0.2}, \"position\": [0.02, 0, 0]}], \"time\": {\"duration\": 0.05}, \"output\": {\"frame_interval\": 0.05,"
                 "\"sample_interval\": 0.001}}"}}};

static const optimiser_unknown peridem_unknowns[] = {
    {"young_modulus", 3e6, 3e7, true}, {"fracture_energy", 2, 15, true}, {"friction", 0.05, 0.45, false}};
const twin_model twin_peridem = {
    .name = "peridem",
    .unknowns = peridem_unknowns,
    .unknown_count = 3,
    .scene_count = 2,
    .runs = 120,
    .tries = 10,
    .noise = 0.05,
    .scenes = {
        {.y = "energy.external",
         .interval = 0.00005,
         .text = "{\"scree\": 1, \"name\": \"pull\", \"method\": \"peridem\", \"materials\": [{\"name\": \"brittle\", \"density\": 1000,"
                 "\"young_modulus\": @0, \"fracture_energy\": @1}], \"specimens\": [{\"name\": \"bar\", \"material\": \"brittle\","
                 "\"spacing\": 0.0033, \"shape\": {\"type\": \"box\", \"size\": [0.0297, 0.0099, 0.0099]}, \"placement\":"
                 "{\"type\": \"single\", \"position\": [0.01485, 0, 0]}}], \"rig\": {\"type\": \"grips\", \"axis\": \"x\", \"low_end\":"
                 "0.007, \"high_start\": 0.0229, \"program\": [{\"type\": \"constant\", \"velocity\": 0.4}]}, \"time\":"
                 "{\"duration\": 0.004}, \"output\": {\"frame_interval\": 0.004, \"sample_interval\": 0.00005}}"},
        {.y = "energy.kinetic",
         .interval = 0.0005,
         .text =
             "{\"scree\": 1, \"name\": \"slide\", \"method\": \"peridem\", \"materials\": [{\"name\": \"soft\", \"density\": 1000,"
             "\"young_modulus\": 1e6}], \"contact\": {\"friction_coefficient\": @2, \"damping_ratio\": 0.5},"
             "\"specimens\": [{\"name\": \"block\", \"material\": \"soft\", \"spacing\": 0.0066, \"shape\": {\"type\": \"box\", \"size\":"
             "[0.02, 0.02, 0.02]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.01]}}], \"rig\": {\"type\": \"none\","
             "\"gravity\": [4.14589, 0, -8.89088]}, \"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\","
             "\"width\": 0.2}, \"position\": [0.02, 0, 0]}], \"time\": {\"duration\": 0.02}, \"output\": {\"frame_interval\": 0.02,"
             "\"sample_interval\": 0.0005}}"}}};
