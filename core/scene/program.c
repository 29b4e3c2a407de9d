/* Loading programs in closed form: each segment's velocity is linear in time, so displacements are exact at any time. */
#include <math.h>

#include "scene/scene.h"

/* One segment placed in time: velocity goes linearly from `start_velocity` to `end_velocity` over `duration`. */
typedef struct stretch {
  double start, duration;
  double start_velocity, end_velocity;
} stretch;

static stretch stretch_of(const scr_segment *segment, double start, double velocity_before)
{
  stretch s = {.start = start, .duration = segment->duration};
  switch (segment->kind) {
  case SCR_SEGMENT_HOLD:
  case SCR_SEGMENT_SERVO: break; /* what a servo adds is not known beforehand */
  case SCR_SEGMENT_RAMP:
    s.start_velocity = velocity_before;
    s.end_velocity = segment->velocity;
    break;
  case SCR_SEGMENT_CONSTANT: s.start_velocity = s.end_velocity = segment->velocity; break;
  case SCR_SEGMENT_MOVE:
    s.start_velocity = s.end_velocity = copysign(segment->velocity, segment->displacement);
    s.duration = fabs(segment->displacement / segment->velocity);
    break;
  }
  return s;
}

static double velocity_in(const stretch *s, double elapsed)
{
  if (s->start_velocity == s->end_velocity) return s->start_velocity; /* also when it lasts for ever */
  return s->start_velocity + (s->end_velocity - s->start_velocity) * (elapsed / s->duration);
}

double scr_program_velocity(const scr_program *program, double time)
{
  double start = 0, velocity = 0;
  for (size_t i = 0; i < program->segment_count; i++) {
    stretch s = stretch_of(&program->segments[i], start, velocity);
    if (time < start + s.duration) return velocity_in(&s, time - start);
    start += s.duration;
    velocity = s.end_velocity;
  }
  return 0;
}

double scr_program_displacement(const scr_program *program, double time)
{
  double start = 0, velocity = 0, displacement = 0;
  for (size_t i = 0; i < program->segment_count && start < time; i++) {
    stretch s = stretch_of(&program->segments[i], start, velocity);
    bool whole = time >= start + s.duration;
    double elapsed = whole ? s.duration : time - start;
    if (whole && program->segments[i].kind == SCR_SEGMENT_MOVE)
      displacement += program->segments[i].displacement;
    else
      displacement += 0.5 * (s.start_velocity + velocity_in(&s, elapsed)) * elapsed; /* linear velocity: the trapezium is exact */
    start += s.duration;
    velocity = s.end_velocity;
  }
  return displacement;
}

const scr_segment *scr_program_servo(const scr_program *program, double time, double *since)
{
  double start = 0;
  for (size_t i = 0; i < program->segment_count; i++) {
    const scr_segment *segment = &program->segments[i];
    if (time < start + segment->duration) {
      *since = time - start;
      return segment->kind == SCR_SEGMENT_SERVO ? segment : NULL;
    }
    start += segment->duration;
  }
  return NULL;
}

bool scr_program_has_servo(const scr_program *program)
{
  for (size_t i = 0; i < program->segment_count; i++)
    if (program->segments[i].kind == SCR_SEGMENT_SERVO) return true;
  return false;
}

double scr_program_peak_velocity(const scr_program *program, double duration)
{
  double start = 0, velocity = 0, peak = 0;
  for (size_t i = 0; i < program->segment_count && start < duration; i++) {
    stretch s = stretch_of(&program->segments[i], start, velocity);
    double elapsed = fmin(s.duration, duration - start);
    peak = fmax(peak, fmax(fabs(s.start_velocity), fabs(velocity_in(&s, elapsed))));
    start += s.duration;
    velocity = s.end_velocity;
  }
  return peak;
}
