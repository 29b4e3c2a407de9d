/* `scree render` and `scree film`: pictures of a job on a server, drawn by the dashboard's own code in a browser without a window. */
#include <stdlib.h>
#include <string.h>

#include "api/access/token.h"
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/drawing/browser.h"
#include "api/cli/drawing/order.h"
#include "api/cli/http_client.h"
#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "base/base64.h"
#include "scree.h"

enum { PART_BYTES = 3 << 20, FILE_MOST = 1 << 30 };
static const double poll_seconds = 0.1;

/* What the page says of its work. */
typedef struct drawing {
  size_t bytes;
  long long frames;
  double time; /* s, of the last one */
} drawing;

/* Opens the page and hands it the token in a header, which only the server's own pages are asked with. */
static cli_exit open_page(browser *page, const char *base, const char *token)
{
  char url[640], bearer[TOKEN_BYTES + 8];
  cli_exit code = browser_command(page, "Page.enable", NULL, NULL);
  if (code == CLI_DONE) code = browser_command(page, "Network.enable", NULL, NULL);
  snprintf(bearer, sizeof bearer, "Bearer %s", token);
  if (code == CLI_DONE && *token)
    code = browser_command(page, "Network.setExtraHTTPHeaders", json_pack("{s:{s:s}}", "headers", "Authorization", bearer), NULL);
  snprintf(url, sizeof url, "%s/assets/draw.html", base);
  json_t *result = NULL;
  if (code == CLI_DONE) code = browser_command(page, "Page.navigate", json_pack("{s:s}", "url", url), &result);
  const char *error = json_string_value(json_object_get(result, "errorText"));
  if (code == CLI_DONE && error) {
    snprintf(page->error, sizeof page->error, "the browser can't open %.400s: %.200s", url, error);
    code = CLI_UNREACHABLE;
  }
  json_decref(result);
  return code;
}

static cli_exit begin(browser *page, const draw_order *order)
{
  static const char call[] =
      "import('/assets/draw.js').then((drawing) => { globalThis.drawing = drawing; drawing.begin(%s); return true; })";
  json_t *json = draw_order_json(order), *value = NULL;
  char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
  json_decref(json);
  size_t capacity = text ? sizeof call + strlen(text) : 0;
  char *expression = text ? malloc(capacity) : NULL;
  cli_exit code = CLI_FAILED;
  if (expression) {
    snprintf(expression, capacity, call, text);
    code = browser_evaluate(page, expression, &value);
  } else
    snprintf(page->error, sizeof page->error, "there is no memory for the page's order");
  json_decref(value);
  free(expression);
  free(text);
  return code;
}

/* Polls until the page has drawn everything. */
static cli_exit await_drawing(const cli_call *call, browser *page, drawing *made)
{
  int tenths = 0;
  for (;;) {
    json_t *state;
    cli_exit code = browser_evaluate(page, "drawing.current()", &state);
    if (code != CLI_DONE) return code;
    const char *error = json_string_value(json_object_get(state, "error"));
    double share = json_number_value(json_object_get(state, "share"));
    bool done = json_is_true(json_object_get(state, "done")), failed = error && *error;
    *made = (drawing){.bytes = (size_t)json_integer_value(json_object_get(state, "bytes")),
                      .frames = json_integer_value(json_object_get(state, "frames")),
                      .time = json_number_value(json_object_get(state, "time"))};
    if (failed) snprintf(page->error, sizeof page->error, "%.700s", error);
    json_decref(state);
    if (done) return failed ? CLI_BAD_USAGE : CLI_DONE;
    if ((int)(10 * share) > tenths) console_say(call, "%d %% drawn", 10 * (tenths = (int)(10 * share)));
    interrupt_sleep(poll_seconds);
  }
}

/* The file's bytes into memory (to be freed). */
static cli_exit take(browser *page, size_t size, unsigned char **bytes)
{
  *bytes = size > 0 && size <= FILE_MOST ? malloc(size) : NULL;
  if (!*bytes) {
    snprintf(page->error, sizeof page->error, "there is no memory for a file of %zu bytes: choose a smaller size", size);
    return CLI_FAILED;
  }
  for (size_t at = 0; at < size;) {
    char expression[96];
    json_t *value;
    snprintf(expression, sizeof expression, "drawing.part(%zu, %d)", at, PART_BYTES);
    cli_exit code = browser_evaluate(page, expression, &value);
    if (code != CLI_DONE) return code;
    const char *text = json_string_value(value);
    size_t got = text ? base64_decode(text, json_string_length(value), *bytes + at, size - at, NULL) : 0;
    json_decref(value);
    if (got == 0) {
      snprintf(page->error, sizeof page->error, "the page gave %zu of %zu bytes", at, size);
      return CLI_FAILED;
    }
    at += got;
  }
  return CLI_DONE;
}

static cli_exit report(const cli_call *call, const draw_order *order, const drawing *made, const browser *page)
{
  if (call->json)
    return console_json(json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:I}", "file", order->path, "bytes", (json_int_t)made->bytes, "width",
                                  (json_int_t)order->width, "height", (json_int_t)order->height, "frames", (json_int_t)made->frames, "time",
                                  made->time, "browser_memory_bytes", (json_int_t)page->memory_peak),
                        CLI_DONE);
  console_say(call, "%s: %lld x %lld pixels, %lld frame%s, %zu bytes", order->path, order->width, order->height, made->frames,
              made->frames == 1 ? "" : "s", made->bytes);
  return CLI_DONE;
}

static cli_exit draw_in(const cli_call *call, browser *page, const char *path, const draw_order *order, const char *base, const char *token)
{
  drawing made = {0};
  unsigned char *bytes = NULL;
  scr_error error = {0};
  cli_exit code = browser_open(page, path, order->seconds, (size_t)order->memory);
  if (code == CLI_DONE) code = open_page(page, base, token);
  if (code == CLI_DONE) code = begin(page, order);
  if (code == CLI_DONE) code = await_drawing(call, page, &made);
  if (code == CLI_DONE) code = take(page, made.bytes, &bytes);
  if (code != CLI_DONE)
    code = console_fail(call, code, "%s", page->error);
  else if (scr_write_file(order->path, bytes, made.bytes, &error) != SCR_OK)
    code = console_fail(call, CLI_FAILED, "%s", error.message);
  else
    code = report(call, order, &made, page);
  free(bytes);
  return code;
}

/* Whether there is such a job: said by the server before a browser is started. */
static cli_exit find_job(const cli_call *call, http_client *client, long long id)
{
  char path[64];
  http_answer answer = {0};
  snprintf(path, sizeof path, "/api/v1/jobs/%lld", id);
  cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
  http_answer_clear(&answer);
  return code;
}

static cli_exit draw(const cli_call *call, bool film)
{
  draw_order order;
  char message[256], path[BROWSER_PATH_BYTES], token[TOKEN_BYTES];
  const char *base;
  if (!draw_order_read(call, film, &order, message, sizeof message)) return console_fail(call, CLI_BAD_USAGE, "%s", message);
  if (!browser_find(path))
    return console_fail(call, CLI_FAILED,
                        "drawing needs Chromium, which is not found: install it (apt install chromium), or set SCREE_CHROMIUM to its path. "
                        "`scree export %s` writes files for other programs without it",
                        film ? "--vtkhdf" : "--ply");
  http_client client;
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = find_job(call, &client, order.job);
  if (code == CLI_DONE) code = http_credentials(call, &client, &base, token);
  if (code == CLI_DONE) {
    browser page;
    interrupt_catch();
    code = draw_in(call, &page, path, &order, base, token);
    browser_close(&page);
  }
  http_close(&client);
  return code;
}

static cli_exit render(const cli_call *call)
{
  return draw(call, false);
}

static cli_exit film(const cli_call *call)
{
  return draw(call, true);
}

#define COMMON_TEXT                                                                                                                        \
  "Drawn by the dashboard's own code in Chromium without a window, which is found in PATH or by SCREE_CHROMIUM; without it the command\n"  \
  "ends with 1. The browser is killed when its time or its memory is used up, and leaves nothing behind."

const cli_command command_render = {
    .name = "render",
    .words = "ID -o FILE.png",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "draw one frame of a job as a picture",
    .description = "With the bar of its colours and a scale, as the dashboard's \"Save\" does. Colours reach over the run up to the "
                   "frame.\n" COMMON_TEXT,
    .options = {{"output", 'o', "FILE", "the picture, a PNG"},
                {"frame", 0, "N", "frame number N, 0 for the first; default the last"},
                {"size", 0, "WxH", "pixels, up to 8192x8192; default 1920x1080"},
                {"transparent", 0, NULL, "transparent background instead of white"},
                {"view", 0, "AXIS", "look from this side: +x, -x, +y, -y, +z or -z; default from front, right and above"},
                {"parallel", 0, NULL, "parallel projection: sizes do not depend on the distance"},
                {"colour", 'c', "FIELD", "colour by a field, or by none; an unknown one lists those there are"},
                {"range", 0, "LOW:HIGH", "ends of the colours, in the field's SI unit; default as far as values reach"},
                {"clip", 0, "BOX", "show what lies in a box: AXIS=FROM:TO,.. in shares of the run's bounds, as y=0.5:1"},
                {"hide", 0, "NAMES", "leave out, by name: specimens, the rig, obstacles; or elements by FIELD=NUMBER, as body=3"},
                {"arrows", 0, "NAME", "draw vectors as arrows: velocity, or a field such as contact_force"},
                {"shade", 0, NULL, "with occlusion, outlines and a shadow on the ground"},
                {"grains", 0, "N", "draw every point of sand as N random grains around it, 1 to 64; default 1"},
                {"timeout", 0, "S", "seconds it may take; default 300"},
                {"memory", 0, "GIB", "memory the browser may hold; default 4"}},
    .examples = {{"render 12 --frame 40 -o a.png", "frame 40, full HD on white"},
                 {"render 12 --size 7680x4320 --transparent -o a.png", "the last frame for a poster"},
                 {"render 12 --view -y --parallel --colour damage -o side.png", "from the front, by damage"},
                 {"render 12 --clip y=0.5:1 --range 0:1e6 -c stress -o cut.png", "cut open, with fixed colours"}},
    .run = render,
};

const cli_command command_film = {
    .name = "film",
    .words = "ID -o FILE.webm",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "draw all frames of a job as a film",
    .description = "A WebM file that browsers and players show. Colours reach over the whole run.\n" COMMON_TEXT,
    .options = {{"output", 'o', "FILE", "the film, a WebM"},
                {"rate", 0, "N", "frames a second, 1 to 60; default 20"},
                {"size", 0, "WxH", "pixels, even, up to 1920x1920; default 1280x720"},
                {"view", 0, "AXIS", "look from this side: +x, -x, +y, -y, +z or -z; default from front, right and above"},
                {"parallel", 0, NULL, "parallel projection: sizes do not depend on the distance"},
                {"colour", 'c', "FIELD", "colour by a field, or by none; an unknown one lists those there are"},
                {"range", 0, "LOW:HIGH", "ends of the colours, in the field's SI unit; default as far as values reach"},
                {"clip", 0, "BOX", "show what lies in a box: AXIS=FROM:TO,.. in shares of the run's bounds, as y=0.5:1"},
                {"hide", 0, "NAMES", "leave out, by name: specimens, the rig, obstacles; or elements by FIELD=NUMBER, as body=3"},
                {"arrows", 0, "NAME", "draw vectors as arrows: velocity, or a field such as contact_force"},
                {"shade", 0, NULL, "with occlusion, outlines and a shadow on the ground"},
                {"grains", 0, "N", "draw every point of sand as N random grains around it, 1 to 64; default 1"},
                {"timeout", 0, "S", "seconds it may take; default 3600"},
                {"memory", 0, "GIB", "memory the browser may hold; default 4"}},
    .examples = {{"film 12 -o a.webm", "20 frames a second"}, {"film 12 --rate 30 --colour stress -o a.webm", "by stress"}},
    .run = film,
};
