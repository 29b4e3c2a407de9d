/* What the recording of a scene's run begins with, made without a run: the topology, the shapes, a frame at t = 0, and further frames in
 * which the parts of the rig stand where their programs bring them while the specimens stay. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/file/record.h"
#include "record/frame/builder.h"
#include "record/geometry_record.h"
#include "run/opening.h"
#include "sim/sim.h"

enum { frames_most = 25 };

typedef struct opening {
  unsigned char *bytes; /* [size] */
  size_t size, most;
  uint64_t seq;
} opening;

static scr_status append(opening *made, scr_record_type type, double time, const void *payload, size_t size, scr_error *error)
{
  size_t bytes = SCR_RECORD_BYTES(size);
  if (size > UINT32_MAX || bytes > made->most - made->size)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the picture of this scene takes more than the %.1f MB allowed: run it, or make it coarser",
                    1e-6 * (double)made->most);
  unsigned char *grown = realloc(made->bytes, made->size + bytes);
  if (!grown) return scr_fail_memory(error, "the picture of a scene", made->size + bytes);
  made->bytes = grown;
  unsigned char *at = grown + made->size;
  scr_record_header header = {.size = (uint32_t)size, .type = (uint16_t)type, .seq = ++made->seq, .sim_time = time};
  memset(at, 0, bytes);
  memcpy(at + sizeof header, payload, size);
  header.crc32c = record_crc(&header, at + sizeof header);
  memcpy(at, &header, sizeof header);
  made->size += bytes;
  return SCR_OK;
}

static scr_status append_topology(opening *made, const scr_sim *sim, const scr_frame *frame, scr_error *error)
{
  scr_topology topology = {
      .drawables = sim->drawables, .drawable_count = sim->drawable_count, .series = sim->series, .series_count = sim->series_count};
  frame_bounds(frame, &topology.minimum, &topology.maximum);
  char *text = topology_json(&topology);
  if (!text) return scr_fail_memory(error, "the topology's record", 65536);
  scr_status status = append(made, SCR_RECORD_TOPOLOGY, 0.0, text, strlen(text), error);
  free(text);
  for (uint32_t d = 0; status == SCR_OK && d < sim->drawable_count; d++)
    for (uint32_t s = 0; status == SCR_OK && s < sim->drawables[d].shape_count; s++) {
      unsigned char *payload = NULL;
      size_t size = 0;
      status = geometry_payload(&sim->drawables[d], d, s, &payload, &size, error);
      if (status == SCR_OK) status = append(made, SCR_RECORD_GEOMETRY, 0.0, payload, size, error);
      mem_free(payload);
    }
  return status;
}

static scr_status draw(const scr_sim *sim, scr_frame *frame, const void **payload, size_t *size, scr_error *error)
{
  frame_begin(frame);
  SCR_TRY(sim_draw(sim, frame, error));
  return frame_finish(frame, payload, size, error);
}

/* How many frames fit into what is left, from 1. */
static size_t frames_that_fit(const opening *made, size_t size)
{
  size_t fit = (made->most - made->size) / SCR_RECORD_BYTES(size);
  return fit < 1 ? 1 : fit > frames_most ? frames_most : fit;
}

static scr_status make(opening *made, scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const void *payload = NULL;
  size_t size = 0;
  SCR_TRY(draw(sim, frame, &payload, &size, error));
  SCR_TRY(append_topology(made, sim, frame, error));
  size_t frames = sim->parts.count > 0 ? frames_that_fit(made, size) : 1;
  SCR_TRY(append(made, SCR_RECORD_FRAME, 0.0, payload, size, error));
  for (size_t k = 1; k < frames; k++) {
    double time = sim->scene->time.duration * (double)k / (double)(frames - 1);
    parts_move(&sim->parts, time);
    SCR_TRY(draw(sim, frame, &payload, &size, error));
    SCR_TRY(append(made, SCR_RECORD_FRAME, time, payload, size, error));
  }
  return SCR_OK;
}

scr_status run_opening(const scr_scene *scene, size_t most, unsigned char **bytes, size_t *size, scr_error *error)
{
  opening made = {.most = most};
  scr_sim *sim = NULL;
  scr_frame *frame = NULL;
  scr_status status = sim_create_by(scene, execution_of(1), (scr_liveness){0}, &sim, error);
  if (status == SCR_OK) status = frame_create(sim->drawables, sim->drawable_count, &frame, error);
  if (status == SCR_OK) status = make(&made, sim, frame, error);
  frame_destroy(frame);
  scr_sim_destroy(sim);
  if (status != SCR_OK) {
    free(made.bytes);
    return status;
  }
  *bytes = made.bytes;
  *size = made.size;
  return SCR_OK;
}
