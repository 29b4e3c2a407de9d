/* Packing: growing and pushing, then shrinking. */
#include "geometry/packing/pack.h"

#include "base/memory.h"
#include "geometry/packing/pack_form.h"
#include "geometry/search/boxes.h"

enum { SWEEPS = 300, GROWTH = 80 };

/* A start from half the size lets grains sort themselves out before they are in each other's way. */
static const double start_scale = 0.5, least_scale = 0.5;

/* Pushing aims at a little more than the gap, of the mean reach: depths come from a coarse field and some of the corners, and what only
 * just touches comes apart slowly. */
static const double cushion = 0.04;

/* Of the depth, to each of a pair: a little more than half takes fewer sweeps (400 grains at a fraction of 0.3, grown over 120 sweeps: 212
 * instead of 263). */
static const double push_share = 0.65;

typedef struct packer {
  const geo_pack_request *request;
  pack_form *forms;
  scr_vec3 *centre, *push; /* [count] m */
  geo_box *boxes;          /* [count] */
  geo_box_pairs pairs;
  double size; /* m, mean reach */
} packer;

double geo_pack_volume(scr_vec3 minimum, scr_vec3 maximum, bool round)
{
  scr_vec3 edge = vec3_sub(maximum, minimum);
  double across = fmin(edge.x, edge.y);
  return round ? M_PI / 4 * across * across * edge.z : edge.x * edge.y * edge.z;
}

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in [0, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ── preparing ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check(const geo_pack_request *request, scr_error *error)
{
  scr_vec3 edge = vec3_sub(request->maximum, request->minimum);
  if (request->form_count < 1 || request->form_count > GEO_PACK_FORM_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a packing of %zu forms was asked for; 1 to %d are possible", request->form_count,
                    GEO_PACK_FORM_LIMIT);
  if (request->count < 1 || request->count > GEO_PACK_GRAIN_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a packing of %zu grains was asked for; 1 to %d are possible", request->count,
                    GEO_PACK_GRAIN_LIMIT);
  if (!(edge.x > 0 && edge.y > 0 && edge.z > 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the container has edges of %.4g, %.4g, %.4g m; all must be above 0", edge.x, edge.y,
                    edge.z);
  return request->gap >= 0 ? SCR_OK : scr_fail(error, SCR_BAD_USAGE, NULL, "the gap is %g m; it must not be below 0", request->gap);
}

static scr_status prepare(packer *p, scr_error *error)
{
  const geo_pack_request *request = p->request;
  scr_vec3 middle = vec3_scale(vec3_add(request->minimum, request->maximum), 0.5);
  p->forms = mem_array(request->form_count, sizeof *p->forms);
  p->push = mem_array(request->count, sizeof *p->push);
  p->boxes = mem_array(request->count, sizeof *p->boxes);
  if (!p->forms || !p->push || !p->boxes) return scr_fail_memory(error, "a packing", request->count * 9 * sizeof(double));
  for (size_t k = 0; k < request->form_count; k++) {
    SCR_TRY(pack_form_make(&p->forms[k], &request->forms[k], request->gap, error));
    p->size += p->forms[k].reach / (double)request->form_count;
    const geo_box *box = &p->forms[k].box;
    scr_vec3 own = vec3_scale(vec3_add(box->low, box->high), -0.5);
    double out = pack_sticks_out(request, &p->forms[k], vec3_add(middle, own), 1);
    if (out > 0)
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "a grain of %.4g x %.4g x %.4g m and gaps of %.4g m on its sides do not fit into the container, by %.4g m: use a "
                      "larger one or smaller grains",
                      box->high.x - box->low.x, box->high.y - box->low.y, box->high.z - box->low.z, request->gap, out);
  }
  return SCR_OK;
}

static void clear(packer *p)
{
  for (size_t k = 0; p->forms && k < p->request->form_count; k++) pack_form_clear(&p->forms[k]);
  mem_free(p->forms);
  mem_free(p->push);
  mem_free(p->boxes);
  geo_box_pairs_clear(&p->pairs);
}

static const pack_form *form_of(const packer *p, size_t grain)
{
  return &p->forms[p->request->form[grain]];
}

static scr_status find_pairs(packer *p, double scale, scr_error *error)
{
  for (size_t i = 0; i < p->request->count; i++) {
    const geo_box *box = &form_of(p, i)->box;
    p->boxes[i] = (geo_box){vec3_add(p->centre[i], vec3_scale(box->low, scale)), vec3_add(p->centre[i], vec3_scale(box->high, scale))};
  }
  return geo_box_pairs_find(&p->pairs, p->boxes, p->request->count, p->request->gap + cushion * p->size, error);
}

/* ── pushing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The deepest of the points of `of` within the gap about `in`, and which way out. `shift`: of `of` from `in`, m. @return depth, m; <= 0:
 * none */
static double deepest(const pack_form *of, const pack_form *in, scr_vec3 shift, double scale, double gap, scr_vec3 *out)
{
  double depth = 0, per = 1 / scale;
  for (size_t k = 0; k < of->point_count; k++) {
    scr_vec3 p = vec3_add(of->point[k], vec3_scale(shift, per)), gradient;
    double value;
    if (of->own[k] < 0 && !(level_set_at(&in->field, p, &value) && value < 0)) continue; /* inner points count within the other only */
    if (!level_set_gradient_at(&in->field, p, &value, &gradient) || gap - scale * (value + of->own[k]) <= depth) continue;
    double length = vec3_length(gradient);
    if (length < 0.1) continue; /* on the medial axis: another point tells better */
    depth = gap - scale * (value + of->own[k]);
    *out = vec3_scale(gradient, 1 / length);
  }
  return depth;
}

/* Pushes a grain back into the container. */
static void keep_inside(packer *p, size_t i, double scale)
{
  const geo_pack_request *request = p->request;
  const geo_box *box = &form_of(p, i)->box;
  const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z},
               first[3] = {request->minimum.x, request->minimum.y, request->minimum.z},
               last[3] = {request->maximum.x, request->maximum.y, request->maximum.z};
  double c[3] = {p->centre[i].x, p->centre[i].y, p->centre[i].z};
  for (int a = request->round ? 2 : 0; a < 3; a++)
    c[a] = fmin(fmax(c[a], first[a] + request->gap - scale * low[a]), last[a] - request->gap - scale * high[a]);
  p->centre[i] = vec3(c[0], c[1], c[2]);
  if (!request->round) return;
  double out = pack_sticks_out(request, form_of(p, i), p->centre[i], scale), x = c[0] - 0.5 * (first[0] + last[0]),
         y = c[1] - 0.5 * (first[1] + last[1]), from = hypot(x, y);
  if (out > 0 && from > 0) p->centre[i] = vec3(c[0] - x * fmin(1, out / from), c[1] - y * fmin(1, out / from), c[2]);
}

/* Pushes all pairs apart once. @return the largest depth met, m */
static double sweep(packer *p, double scale)
{
  double worst = 0, gap = p->request->gap + cushion * p->size;
  for (size_t i = 0; i < p->request->count; i++) p->push[i] = vec3(0, 0, 0);
  for (size_t k = 0; k < p->pairs.count; k++) {
    uint32_t a = p->pairs.pairs[k].a, b = p->pairs.pairs[k].b;
    scr_vec3 shift = vec3_sub(p->centre[a], p->centre[b]), out, back;
    double first = deepest(form_of(p, a), form_of(p, b), shift, scale, gap, &out);
    double second = deepest(form_of(p, b), form_of(p, a), vec3_scale(shift, -1), scale, gap, &back);
    if (second > first) first = second, out = vec3_scale(back, -1);
    if (first <= 0) continue;
    worst = fmax(worst, first);
    p->push[a] = vec3_add(p->push[a], vec3_scale(out, push_share * first));
    p->push[b] = vec3_sub(p->push[b], vec3_scale(out, push_share * first));
  }
  for (size_t i = 0; i < p->request->count; i++) {
    p->centre[i] = vec3_add(p->centre[i], p->push[i]);
    keep_inside(p, i, scale);
  }
  return worst;
}

static scr_status push_apart(packer *p, geo_pack_result *result, scr_error *error)
{
  uint64_t state = p->request->seed;
  scr_vec3 edge = vec3_sub(p->request->maximum, p->request->minimum);
  for (size_t i = 0; i < p->request->count; i++) {
    double x = draw(&state), y = draw(&state), z = draw(&state);
    p->centre[i] = vec3_add(p->request->minimum, vec3(x * edge.x, y * edge.y, z * edge.z));
    keep_inside(p, i, start_scale);
  }
  for (int k = 0; k < SWEEPS; k++) {
    double scale = fmin(1, start_scale + (1 - start_scale) * k / GROWTH);
    SCR_TRY(find_pairs(p, scale, error));
    double worst = sweep(p, scale);
    result->sweeps = k + 1;
    if (scale >= 1 && worst < 0.5 * cushion * p->size) break;
  }
  return SCR_OK;
}

/* ── shrinking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool pair_holds(const packer *p, size_t k, double scale)
{
  uint32_t a = p->pairs.pairs[k].a, b = p->pairs.pairs[k].b;
  return pack_keeps_apart(form_of(p, a), form_of(p, b), vec3_sub(p->centre[b], p->centre[a]), scale, p->request->gap);
}

/* The largest scale, to 1e-3, at which a pair that does not hold at `scale` does; 0: none that is allowed. */
static double shrink_pair(const packer *p, size_t k, double scale)
{
  double low = least_scale, high = scale;
  if (!pair_holds(p, k, low)) return 0;
  while (high - low > 1e-3) {
    double middle = 0.5 * (low + high);
    if (pair_holds(p, k, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool all_hold(const packer *p, double scale)
{
  for (size_t i = 0; i < p->request->count; i++)
    if (pack_sticks_out(p->request, form_of(p, i), p->centre[i], scale) > 1e-9 * p->size) return false;
  for (size_t k = 0; k < p->pairs.count; k++)
    if (!pair_holds(p, k, scale)) return false;
  return true;
}

static scr_status shrink(packer *p, geo_pack_result *result, scr_error *error)
{
  double scale = 1, volume = 0;
  SCR_TRY(find_pairs(p, 1, error));
  for (size_t k = 0; k < p->pairs.count && scale > 0; k++)
    if (!pair_holds(p, k, scale)) scale = shrink_pair(p, k, scale);
  while (scale >= least_scale && !all_hold(p, scale)) scale *= 0.99; /* the container's round wall, and forms with bays */
  if (scale < least_scale)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "%zu grains fill too much of the container to be kept apart: even at half their size two of them would be nearer than "
                    "the gap of %.4g m; use fewer, "
                    "a lower solid fraction or a smaller gap",
                    p->request->count, p->request->gap);
  for (size_t i = 0; i < p->request->count; i++) volume += form_of(p, i)->volume;
  result->scale = scale;
  result->fraction = volume * scale * scale * scale / geo_pack_volume(p->request->minimum, p->request->maximum, p->request->round);
  return SCR_OK;
}

scr_status geo_pack(const geo_pack_request *request, scr_vec3 *centres, geo_pack_result *result, scr_error *error)
{
  packer p = {.request = request, .centre = centres};
  *result = (geo_pack_result){0};
  SCR_TRY(check(request, error));
  scr_status status = prepare(&p, error);
  if (status == SCR_OK) status = push_apart(&p, result, error);
  if (status == SCR_OK) status = shrink(&p, result, error);
  clear(&p);
  return status;
}

scr_status geo_pack_holds(const geo_pack_request *request, const scr_vec3 *centres, double scale, bool *holds, scr_error *error)
{
  packer p = {.request = request};
  SCR_TRY(check(request, error));
  SCR_TRY(mem_allocate(&p.centre, request->count, sizeof *p.centre, "a packing", error));
  for (size_t i = 0; i < request->count; i++) p.centre[i] = centres[i];
  scr_status status = prepare(&p, error);
  if (status == SCR_OK) status = find_pairs(&p, 1, error);
  if (status == SCR_OK) *holds = all_hold(&p, scale);
  mem_free(p.centre);
  clear(&p);
  return status;
}
