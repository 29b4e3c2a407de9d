/* `scree devices`: GPUs and the like that runs may use, here or where a server runs its jobs, and why not. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/http_client.h"
#include "api/cli/report.h"
#include "api/shapes/device_json.h"

static void print_device(const json_t *one)
{
  bool usable = json_is_true(json_object_get(one, "usable"));
  printf("%s  %s (%s, %s), %.3g GB, %s%s\n", report_text(one, "name"), report_text(one, "title"), report_text(one, "by"),
         report_text(one, "version"), 1e-9 * report_number(one, "memory_bytes"),
         usable ? "usable" : "can't be used: ", report_text(one, "reason"));
}

static cli_exit show(const cli_call *call, json_t *list)
{
  size_t i;
  const json_t *item;
  if (call->json) return console_json(list, CLI_DONE);
  json_array_foreach(json_object_get(list, "devices"), i, item)
  {
    print_device(item);
  }
  json_array_foreach(json_object_get(list, "notes"), i, item)
  {
    printf("%s\n", json_string_value(item));
  }
  json_decref(list);
  return console_flush(CLI_DONE);
}

static cli_exit request_list(const cli_call *call)
{
  http_client client;
  http_answer answer = {0};
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = http_expect(call, &client, &(http_call){.path = "/api/v1/devices"}, &answer);
  if (code == CLI_DONE) code = show(call, json_incref(answer.json));
  http_answer_clear(&answer);
  http_close(&client);
  return code;
}

static cli_exit devices(const cli_call *call)
{
  device_list list;
  if (*call->server) return request_list(call);
  device_find_all(&list);
  json_t *shown = devices_json(&list);
  return shown ? show(call, shown) : console_fail(call, CLI_FAILED, "no memory for the list of devices");
}

const cli_command command_devices = {
    .name = "devices",
    .words = "",
    .needs_server = true,
    .summary = "show the GPUs that runs may use here, and why not",
    .description =
        "A scene names one in `\"run\": {\"device\": \"gpu:0\"}`; \"auto\" takes the first GPU that is fit, else the processor. Results "
        "are the\n"
        "same to the last bit. Devices are found at run time, by OpenCL (any maker's) and by NVIDIA's CUDA driver with NVRTC. What is no\n"
        "GPU, as pocl, which is OpenCL on the processor, is for tests: \"auto\" never takes it. Needs no server; with --server: the "
        "devices\n"
        "of the machine where that server runs its jobs.",
    .examples = {{"devices", "those of this machine"}, {"devices --server http://127.0.0.1:8080", "those that a server's jobs may name"}},
    .run = devices,
};
