/** Pictures of a run for tests: a frame as a viewer gets it, and its numbers by the names of drawable and field. */
#ifndef SCREE_SUPPORT_PICTURE_H
#define SCREE_SUPPORT_PICTURE_H

#include "record/frame/builder.h"
#include "record/frame/view.h"
#include "tests/support/sim_run.h"

/* A frame of a run as it is now. */
typedef struct picture {
  scr_frame *frame;
  scr_topology topology;
  frame_view view;
} picture;

static inline picture take(const sim_run *r)
{
  picture p = {0};
  const void *payload;
  size_t size;
  p.topology = (scr_topology){.drawables = r->sim->drawables, .drawable_count = (uint32_t)r->sim->drawable_count};
  assert_int_equal(frame_create(r->sim->drawables, r->sim->drawable_count, &p.frame, NULL), SCR_OK);
  frame_begin(p.frame);
  assert_int_equal(sim_draw(r->sim, p.frame, NULL), SCR_OK);
  assert_int_equal(frame_finish(p.frame, &payload, &size, NULL), SCR_OK);
  return p;
}

/* The view is read where the picture lies, as it points to its topology. */
static inline void look(picture *p)
{
  const void *payload;
  size_t size;
  assert_int_equal(frame_finish(p->frame, &payload, &size, NULL), SCR_OK);
  assert_int_equal(frame_view_read(&p->view, &p->topology, payload, size, NULL), SCR_OK);
}

static inline void put_away(picture *p)
{
  frame_view_clear(&p->view);
  frame_destroy(p->frame);
}

static inline const drawable_view *drawable(const picture *p, const char *name)
{
  for (uint32_t d = 0; d < p->topology.drawable_count; d++)
    if (strcmp(p->topology.drawables[d].name, name) == 0) return &p->view.drawables[d];
  run_fail("no drawable", name);
  return NULL;
}

static inline double field(const picture *p, const char *of, const char *name, uint32_t element, uint32_t component)
{
  const frame_array *array = drawable_view_field(drawable(p, of), name);
  if (!array) run_fail("no field", name);
  return array->header.encoding == SCR_ENCODING_UINT32 ? frame_array_whole(array, element, component)
                                                       : frame_array_value(array, element, component);
}

#endif
