#include "api/shapes/device_json.h"

#include "api/shapes/json_text.h"

static json_t *device_json(const device_about *about)
{
  return json_pack("{s:s, s:o, s:s, s:o, s:b, s:b, s:o, s:b, s:o}", "name", about->name, "title", json_text(about->title), "by", about->by,
                   "version", json_text(about->version), "gpu", (int)about->is_gpu, "doubles", (int)about->doubles, "memory_bytes",
                   json_count(about->memory), "usable", (int)!about->reason[0], "reason", json_text(about->reason));
}

json_t *devices_json(const device_list *list)
{
  json_t *devices = json_array(), *notes = json_array();
  for (size_t k = 0; k < list->count; k++) json_array_append_new(devices, device_json(&list->item[k]));
  for (size_t k = 0; k < list->note_count; k++) json_array_append_new(notes, json_text(list->note[k]));
  return json_pack("{s:o, s:o}", "devices", devices, "notes", notes);
}
