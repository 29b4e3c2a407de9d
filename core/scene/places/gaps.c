/* The gaps between a rig and its specimens, for whoever draws a scene or asks what it will do. */
#include <math.h>

#include "base/json_writer.h"
#include "scene/places/reach.h"

static void add_vector(json_writer *out, const char *key, scr_vec3 v)
{
  jw_key(out, key);
  jw_begin_row(out);
  jw_number(out, v.x);
  jw_number(out, v.y);
  jw_number(out, v.z);
  jw_end_row(out);
}

char *scr_scene_gaps_json(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  json_writer out = {0};
  jw_begin_list(&out);
  for (size_t p = 0; p < count; p++) {
    scene_distance found = scene_nearest(scene, &parts[p]);
    if (!isfinite(found.gap) || found.gap <= 0) continue;
    jw_begin_object(&out);
    jw_key(&out, "part");
    jw_string(&out, parts[p].name);
    jw_key(&out, "specimen");
    jw_string(&out, scene->specimens[found.specimen].name);
    jw_key(&out, "gap");
    jw_number(&out, found.gap);
    jw_key(&out, "travel");
    jw_number(&out, scene_travel(&parts[p], scene->time.duration));
    add_vector(&out, "from", found.from);
    add_vector(&out, "to", found.to);
    jw_end_object(&out);
  }
  jw_end_list(&out);
  return jw_take(&out);
}
