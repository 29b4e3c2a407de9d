#include "api/cli/drawing/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scree.h"

/* "1920x1080" */
static bool read_size(const char *text, draw_order *order, char *message, size_t capacity)
{
  char *end;
  long long most = order->film ? ORDER_FILM_MOST : ORDER_PIXELS_MOST;
  order->width = strtoll(text, &end, 10);
  bool whole = end != text && (*end == 'x' || *end == 'X');
  const char *second = end + 1;
  if (whole) order->height = strtoll(second, &end, 10);
  whole = whole && end != second && *end == '\0';
  bool fits =
      whole && order->width >= ORDER_PIXELS_LEAST && order->height >= ORDER_PIXELS_LEAST && order->width <= most && order->height <= most;
  if (fits && (!order->film || (order->width % 2 == 0 && order->height % 2 == 0))) return true;
  snprintf(message, capacity, "--size is '%.40s', but must be WIDTHxHEIGHT with %d to %lld pixels each%s, as 1280x720", text,
           ORDER_PIXELS_LEAST, most, order->film ? ", both even" : "");
  return false;
}

/* "+x", "-z", "x" */
static bool read_view(const char *text, double from[3], char *message, size_t capacity)
{
  double sign = *text == '-' ? -1 : 1;
  const char *axis = text + (*text == '-' || *text == '+');
  if (strlen(axis) == 1 && *axis >= 'x' && *axis <= 'z') {
    from[*axis - 'x'] = sign;
    return true;
  }
  snprintf(message, capacity, "--view is '%.40s', but must be the side to look from: +x, -x, +y, -y, +z or -z", text);
  return false;
}

/* "LOW:HIGH", rising; what stands behind is left at *rest. */
static bool read_span(const char *text, double span[2], const char **rest)
{
  char *end;
  span[0] = strtod(text, &end);
  if (end == text || *end != ':') return false;
  const char *second = end + 1;
  span[1] = strtod(second, &end);
  *rest = end;
  return end != second && isfinite(span[0]) && isfinite(span[1]) && span[0] < span[1];
}

static bool read_range(const char *text, draw_order *order, char *message, size_t capacity)
{
  const char *rest;
  order->has_range = read_span(text, order->range, &rest) && *rest == '\0';
  if (order->has_range) return true;
  snprintf(message, capacity, "--range is '%.40s', but must be LOW:HIGH in the field's SI unit with LOW below HIGH, as 0:2e6", text);
  return false;
}

/* "x=0:0.5,z=0.2:1" */
static bool read_clip(const char *text, draw_order *order, char *message, size_t capacity)
{
  const char *at = text;
  for (int axis = 0; axis < 3; axis++) order->clip[axis][0] = 0, order->clip[axis][1] = 1;
  for (order->clipped = true; order->clipped;) {
    double *span = *at >= 'x' && *at <= 'z' ? order->clip[*at - 'x'] : NULL;
    order->clipped = span && at[1] == '=' && read_span(at + 2, span, &at) && span[0] >= 0 && span[1] <= 1;
    if (!order->clipped || *at == '\0') break;
    order->clipped = *at++ == ',';
  }
  if (order->clipped) return true;
  snprintf(message, capacity,
           "--clip is '%.40s', but must be AXIS=FROM:TO with shares of the run's bounds from 0 to 1, as y=0.5:1 or x=0:0.5,z=0:1", text);
  return false;
}

/* Whether the file's name ends as its format does, so that programs that open it know it. */
static bool ends_as(const char *path, const char *ending)
{
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool draw_order_read(const cli_call *call, bool film, draw_order *order, char *message, size_t capacity)
{
  const char *size = cli_text(call, "size"), *view = cli_text(call, "view"), *field = cli_text(call, "colour"),
             *range = cli_text(call, "range"), *clip = cli_text(call, "clip"), *hide = cli_text(call, "hide"),
             *arrows = cli_text(call, "arrows"), *ending = film ? ".webm" : ".png";
  double gibibytes = 4;
  *order = (draw_order){.film = film,
                        .frame = -1,
                        .rate = film ? 20 : 0,
                        .width = film ? 1280 : 1920,
                        .height = film ? 720 : 1080,
                        .transparent = !film && cli_given(call, "transparent"),
                        .parallel = cli_given(call, "parallel"),
                        .field = field ? field : "",
                        .hide = hide ? hide : "",
                        .arrows = arrows ? arrows : "",
                        .shade = cli_given(call, "shade"),
                        .grains = 1,
                        .path = cli_text(call, "output"),
                        .seconds = film ? 3600 : 300};
  if (!order->path || !ends_as(order->path, ending)) {
    snprintf(message, capacity, "say where the %s goes: -o FILE%s", film ? "film" : "picture", ending);
    return false;
  }
  if (!cli_word_whole(call->words[0], "a job's number", 1, &order->job, message, capacity)) return false;
  if (size && !read_size(size, order, message, capacity)) return false;
  if (view && !read_view(view, order->from, message, capacity)) return false;
  if ((range && !read_range(range, order, message, capacity)) || (clip && !read_clip(clip, order, message, capacity))) return false;
  if (film ? !cli_whole(call, "rate", 1, 60, &order->rate, message, capacity)
           : !cli_whole(call, "frame", 0, INT32_MAX, &order->frame, message, capacity))
    return false;
  if (!cli_whole(call, "grains", 1, ORDER_GRAINS_MOST, &order->grains, message, capacity)) return false;
  if (!cli_number(call, "timeout", 1, 1e6, &order->seconds, message, capacity) ||
      !cli_number(call, "memory", 0.25, 1024, &gibibytes, message, capacity))
    return false;
  order->memory = gibibytes * 0x1p30;
  return true;
}

json_t *draw_order_json(const draw_order *order)
{
  bool along = order->from[0] != 0 || order->from[1] != 0 || order->from[2] != 0;
  json_t *from = along ? json_pack("[f,f,f]", order->from[0], order->from[1], order->from[2]) : json_null();
  json_t *range = order->has_range ? json_pack("[f,f]", order->range[0], order->range[1]) : json_null();
  const double(*box)[2] = order->clip;
  json_t *clip =
      order->clipped ? json_pack("[[f,f],[f,f],[f,f]]", box[0][0], box[0][1], box[1][0], box[1][1], box[2][0], box[2][1]) : json_null();
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:b, s:s, s:o, s:o, s:s, s:b, s:s, s:I}", "job", (json_int_t)order->job, "frame",
                   (json_int_t)order->frame, "rate", (json_int_t)order->rate, "width", (json_int_t)order->width, "height",
                   (json_int_t)order->height, "transparent", (int)order->transparent, "from", from, "parallel", (int)order->parallel,
                   "field", order->field, "range", range, "clip", clip, "hide", order->hide, "shade", (int)order->shade, "arrows",
                   order->arrows, "grains", (json_int_t)order->grains);
}
