/* What a run would cost against what it may: steps, frames, bytes recorded, memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check/check.h"
#include "scene/counts.h"
#include "scene/part.h"

/* Sizes in a recording, from core/record/FORMAT.md. A node's scalars: damage, speed and stress in 16 bits each, fragment and grain in 32.
 * What comes once: the scene, the topology, events and the end, without meshes. */
enum {
  ONCE_BYTES = 16000,
  PROGRESS_BYTES = 200,
  NODE_SCALAR_BYTES = 16,
  POSITION_QUANTISED_BYTES = 6,
  POSITION_FLOAT_BYTES = 12,
  FIELDS_PER_DRAWABLE = 8,
  FRAME_HEADER_BYTES = 8,
  BLOCK_HEADER_BYTES = 16,
  ARRAY_HEADER_BYTES = 64 + 4, /* with 4 bytes of padding on average */
  CURVE_HEADER_BYTES = 16,
  TABLE_HEADER_BYTES = 16
};

/* A count held as a double, as the integer it stands for; the largest one when there is none so large. */
static uint64_t whole(double count)
{
  if (!(count > 0)) return 0;
  return count >= 1.8e19 ? UINT64_MAX : (uint64_t)count;
}

uint64_t scr_interval_steps(double interval, double time_step)
{
  const double most = 1e15;
  double steps = interval / time_step;
  return steps >= most ? (uint64_t)most : steps > 1.0 ? (uint64_t)llround(steps) : 1;
}

uint64_t scr_recorded_count(uint64_t step_count, uint64_t every)
{
  return step_count / every + 1 + (step_count % every != 0);
}

/* How often something is recorded, as the run will count. */
static double events(const scr_scene *scene, double interval, double step_count)
{
  if (scene->method->clock == SCR_CLOCK_UNEVEN) return ceil(scene->time.duration / interval * (1 - 1e-12)) + 1;
  return (double)scr_recorded_count(whole(step_count), scr_interval_steps(interval, scene->estimate.time_step));
}

/* Curves of a run, "time" with them. */
static double series_count(const scr_scene *scene)
{
  double count = 1;
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  for (size_t i = 0; i < scene->method->curve_count; i++)
    if (scr_method_reports(scene->method, scene->options, scene->method->curves[i].name))
      count += strstr(scene->method->curves[i].name, SCR_PART_MARK) ? (double)part_count : 1;
  return count;
}

/* What surfaces of fragments cost, measured on a slab of 4032 spheres that is in pieces at the end: a grain of n points shows 6 n^(2/3)
 * of them, each under 11 triangles of 10 bytes (two bytes per number; 16 bytes from 65536 vertices on); what breaks doubles them. Cells of
 * a length below the radius multiply triangles by the square of their ratio and the points of the grid by its cube. */
static const double surface_bytes_shown = 6 * 11 * 10 * 2, surface_wide = 1.6, surface_seconds_per_point = 4e-6;
static const double surface_memory_per_point = 400, surface_memory_per_byte = 3;

/* The points' radius over the cell, at most. */
static double surface_fineness(const scr_scene *scene)
{
  double finest = 1 / SCR_SURFACE_CELL;
  for (size_t i = 0; i < scene->specimen_count && !isnan(scene->output.surface_cell); i++)
    finest = fmax(finest, 0.5 * scr_scene_resolution(scene, i) / scene->output.surface_cell);
  return finest;
}

static double surface_bytes(const scr_scene *scene)
{
  double grains = 0, points = (double)scene->estimate.node_count, fineness = surface_fineness(scene);
  for (size_t i = 0; i < scene->specimen_count; i++) grains += (double)scene->specimens[i].position_count;
  if (!scene->output.surfaces || !(grains > 0)) return 0;
  double bytes = surface_bytes_shown * grains * pow(points / grains, 2.0 / 3.0) * fineness * fineness;
  return bytes > 8.0 * UINT16_MAX ? bytes * surface_wide : bytes;
}

/* Adds what surfaces take beside the method's own needs. */
static void add_surfaces(scr_scene *scene, double frames)
{
  if (!scene->output.surfaces) return;
  double points = (double)scene->estimate.node_count * pow(surface_fineness(scene), 3);
  scene->estimate.run_seconds += frames * points * surface_seconds_per_point;
  scene->estimate.memory_bytes += points * surface_memory_per_point + surface_bytes(scene) * surface_memory_per_byte;
}

/* The rows that steps add to tables, were all to come that can: a bound, for how many will is what the run is to find out. Records of them
 * follow samples and frames, or the end. */
static double step_row_bytes(const scr_scene *scene, double frames, double samples)
{
  double records = fmin((double)scene->estimate.step_rows, frames + samples + 1);
  return scene->estimate.step_row_bytes + records * (sizeof(scr_record_header) + TABLE_HEADER_BYTES);
}

/* What a frame adds to tables. */
static double frame_row_bytes(const scr_scene *scene)
{
  double rows = scene->estimate.frame_row_bytes;
  return rows > 0 ? sizeof(scr_record_header) + TABLE_HEADER_BYTES + rows : 0;
}

static double bytes_of_frame(const scr_scene *scene)
{
  double position = scene->output.positions == SCR_POSITIONS_FLOAT32 ? POSITION_FLOAT_BYTES : POSITION_QUANTISED_BYTES;
  double drawable = BLOCK_HEADER_BYTES + FIELDS_PER_DRAWABLE * ARRAY_HEADER_BYTES;
  bool own = scene->estimate.frame_body_bytes > 0; /* elements of the method's own, all in one drawable */
  double bodies = own ? scene->estimate.frame_body_bytes : (double)scene->estimate.node_count * (position + NODE_SCALAR_BYTES);
  double drawables = own ? 2 : (double)scene->specimen_count + 1;
  return sizeof(scr_record_header) + PROGRESS_BYTES + FRAME_HEADER_BYTES + bodies + drawables * drawable + surface_bytes(scene) +
         frame_row_bytes(scene) + scene->estimate.frame_line_bytes;
}

static double bytes_recorded(const scr_scene *scene, double frames, double samples)
{
  double sample = sizeof(scr_record_header) + CURVE_HEADER_BYTES + 8 * series_count(scene);
  return ONCE_BYTES + scene->estimate.shape_bytes + frames * bytes_of_frame(scene) + samples * sample +
         step_row_bytes(scene, frames, samples) + scene->estimate.file_bytes;
}

/* What every run takes beside its method's arrays. The program with its libraries, its stacks and what the allocator keeps: 16.3 MB
 * measured of one that does nothing, the rest grows with any run. A frame is held as its blocks, which grow by doubling, as one payload,
 * which does too, and as the record being written; samples and rows of tables as noted, as payload and as record. Rows are recorded with
 * every frame and batch of samples: in between at most a tenth of all that can come does, by the runs in which everything shatters. */
static const double program_memory = 17.5e6, frame_copies = 5, row_copies = 3, rows_at_once = 0.1;
enum { BATCH_SAMPLES = 64 }; /* run/runner.h */

static void add_program(scr_scene *scene, double frame)
{
  double samples = row_copies * BATCH_SAMPLES * sizeof(double) * series_count(scene);
  double rows = row_copies * (rows_at_once * scene->estimate.step_row_bytes + scene->estimate.frame_row_bytes);
  scene->estimate.memory_bytes += program_memory + frame_copies * frame + samples + rows;
}

/* One finding: a cost above its limit. */
static scr_status refuse(scr_problems *problems, const char *pointer, double cost, double limit, const char *what, const char *advice)
{
  char allowed[96], number[NUMBER_TEXT_BYTES];
  snprintf(allowed, sizeof allowed, "at most %s %s", number_text(limit, number), what);
  return problem_add_at(problems, pointer, NAN, allowed, "the run would need %.4g %s, but the limit is %.4g: %s", cost, what, limit,
                        advice);
}

/* Nothing can be recorded between two steps: an interval that was given must be a step long, one that was not becomes so. */
static scr_status check_interval(double *interval, double *written, bool automatic, const char *name, double time_step,
                                 scr_problems *problems)
{
  char pointer[40];
  if (*interval >= time_step * (1 - 1e-9)) return SCR_OK;
  if (automatic) {
    *interval = *written = time_step;
    return SCR_OK;
  }
  snprintf(pointer, sizeof pointer, "/output/%s", name);
  return problem_add_at(
      problems, pointer, *interval, "an interval of one time step or longer, in s",
      "%s is %.6g s, but time steps are %.6g s long and nothing is known between them: use at least the time step, shorter "
      "steps, or null",
      name, *interval, time_step);
}

static scr_status check_intervals(scr_scene *scene, scr_problems *problems)
{
  scene_output *given = &scene->document->output;
  SCR_TRY(check_interval(&scene->output.frame_interval, &given->frame_interval, given->frame_automatic, "frame_interval",
                         scene->estimate.time_step, problems));
  return check_interval(&scene->output.sample_interval, &given->sample_interval, given->sample_automatic, "sample_interval",
                        scene->estimate.time_step, problems);
}

scr_status check_limits(scr_scene *scene, scr_problems *problems)
{
  scr_estimate *estimate = &scene->estimate;
  const scr_limits *limits = &scene->limits;
  if (!(estimate->time_step > 0) || !isfinite(estimate->time_step))
    return problem_add_at(
        problems, "/time/time_step", estimate->time_step, "a number > 0, in s",
        "no stable time step could be found for this scene: give a time_step, or check the materials and how finely specimens are divided");
  if (estimate->count_count == 0) *scr_count_in(estimate, "nodes", "Nodes") = estimate->node_count;
  if (scene->time.time_step > scene->time.duration * (1 + 1e-9))
    return problem_add_at(
        problems, "/time/time_step", scene->time.time_step, "a number <= the duration, in s",
        "time_step %.6g s is longer than the whole duration of %.6g s: the first step would pass the end; take a shorter step or a longer "
        "duration",
        scene->time.time_step, scene->time.duration);
  if (scene->method->clock == SCR_CLOCK_EVEN) SCR_TRY(check_intervals(scene, problems));
  double steps =
      ceil(scene->time.duration / estimate->time_step * (1 - 1e-12)); /* a duration of 3000 steps is 3000, whatever the rounding */
  double frames = events(scene, scene->output.frame_interval, steps), samples = events(scene, scene->output.sample_interval, steps);
  estimate->step_count = whole(steps);
  estimate->frame_count = whole(frames);
  estimate->record_bytes = bytes_recorded(scene, frames, samples);
  estimate->state_bytes = estimate->memory_bytes;
  add_surfaces(scene, frames);
  add_program(scene, bytes_of_frame(scene));
  if (steps > (double)limits->step_count)
    SCR_TRY(refuse(problems, "/time/duration", steps, (double)limits->step_count, "steps", "shorten the duration or take longer steps"));
  if (estimate->record_bytes > (double)limits->record_bytes)
    SCR_TRY(refuse(problems, "/output/frame_interval", estimate->record_bytes, (double)limits->record_bytes, "bytes of recording",
                   "record less often, with quantised positions or without surfaces"));
  if (estimate->memory_bytes > (double)limits->memory_bytes && !problems_below(problems, 0, "/specimens"))
    SCR_TRY(refuse(problems, "/specimens", estimate->memory_bytes, (double)limits->memory_bytes, "bytes of memory",
                   "divide specimens more coarsely, or place fewer grains"));
  return SCR_OK;
}
