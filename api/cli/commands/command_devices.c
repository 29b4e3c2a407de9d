/* `scree devices`: GPUs and the like that runs may use here, and why not. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "device/device.h"

static json_t *devices_json(const device_list *list)
{
  json_t *devices = json_array(), *notes = json_array();
  for (size_t k = 0; k < list->count; k++) {
    const device_about *about = &list->item[k];
    json_array_append_new(devices,
                          json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:b, s:s}", "name", about->name, "title", about->title, "by",
                                    about->opener->name, "version", about->version, "gpu", about->is_gpu, "doubles", about->doubles,
                                    "memory_bytes", (json_int_t)about->memory, "usable", !about->reason[0], "reason", about->reason));
  }
  for (size_t k = 0; k < list->note_count; k++) json_array_append_new(notes, json_string(list->note[k]));
  return json_pack("{s:o, s:o}", "devices", devices, "notes", notes);
}

static cli_exit devices(const cli_call *call)
{
  device_list list;
  char line[512];
  device_find_all(&list);
  if (call->json) return console_json(devices_json(&list), CLI_DONE);
  for (size_t k = 0; k < list.count; k++) printf("%s\n", device_line(&list.item[k], line, sizeof line));
  for (size_t k = 0; k < list.note_count; k++) printf("%s\n", list.note[k]);
  return console_flush(CLI_DONE);
}

const cli_command command_devices = {
    .name = "devices",
    .words = "",
    .summary = "show the GPUs that runs may use here, and why not",
    .description =
        "A scene names one in `\"run\": {\"device\": \"gpu:0\"}`; \"auto\" takes the first GPU that is fit, else the processor. Results "
        "are the\n"
        "same to the last bit. Devices are found at run time, by OpenCL (any maker's) and by NVIDIA's CUDA driver with NVRTC. What is no\n"
        "GPU, as pocl, which is OpenCL on the processor, is for tests: \"auto\" never takes it.",
    .examples = {{"devices", "list them"}},
    .run = devices,
};
