/** Sorting a body's bonds into batches. */
#include "methods/bdem/bonds/bond_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/fields.h"

enum { MOST = 1 << 29 }; /* lanes are numbered in 32 bits, with eight lanes to a batch */

/* What is known while sorting. */
typedef struct sorting {
  const bdem_body *body;
  const bdem_section *const *section;
  bdem_batches *batches;
  size_t sphere_count, bond_count; /* n, b */
  uint32_t *rank;                  /* [n] of a sphere along the curve: a bond belongs to the end of lower rank */
  uint32_t *place;                 /* [n] of a sphere */
  uint32_t *first;                 /* [n + 1] bonds that belong to the sphere at a place */
  uint32_t *owned;                 /* [b] those bonds, by number within a place */
  uint32_t *row;                   /* [n] of a guest in the block that is being filled */
  uint32_t *visited;               /* [n] number plus one of the block whose guests were last met here */
} sorting;

typedef struct curve_key {
  uint64_t key;
  uint32_t sphere;
} curve_key;

static int compare_keys(const void *a, const void *b)
{
  const curve_key *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->sphere < y->sphere ? -1 : x->sphere > y->sphere;
}

/* Bits of a number below 2^21 spread to every third place. */
static uint64_t spread(uint64_t x)
{
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/* Spheres along a Z-shaped curve through cells of about a mean radius. */
static scr_status sort_along_curve(const sorting *s, scr_error *error)
{
  const bdem_body *body = s->body;
  size_t n = body->sphere_count;
  curve_key *keys = mem_array(n, sizeof *keys);
  if (!keys) return scr_fail_memory(error, "an order of spheres", n * sizeof *keys);
  scr_vec3 low = n ? body->position[0] : vec3(0, 0, 0), high = low;
  double cell = 0.0;
  for (size_t k = 0; k < n; ++k) {
    scr_vec3 p = body->position[k];
    low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    cell += body->radius[k] / (double)n;
  }
  double extent = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
  cell = fmax(cell, extent / 2e6);
  for (size_t k = 0; k < n; ++k) {
    scr_vec3 p = vec3_scale(vec3_sub(body->position[k], low), 1.0 / cell);
    keys[k] = (curve_key){spread((uint64_t)p.x) | spread((uint64_t)p.y) << 1 | spread((uint64_t)p.z) << 2, (uint32_t)k};
  }
  qsort(keys, n, sizeof *keys, compare_keys);
  for (size_t k = 0; k < n; ++k) {
    s->batches->sphere[k] = keys[k].sphere;
    s->rank[keys[k].sphere] = (uint32_t)k;
  }
  mem_free(keys);
  return SCR_OK;
}

static uint32_t near_end(const sorting *s, size_t bond)
{
  const uint32_t *end = s->body->ends[bond];
  return s->rank[end[0]] < s->rank[end[1]] ? end[0] : end[1];
}

/* Counts what belongs to every sphere, and within each block puts the spheres with most bonds first. */
static scr_status sort_within_blocks(const sorting *s, scr_error *error)
{
  size_t n = s->body->sphere_count;
  curve_key keys[BATCH_BLOCK];
  uint32_t *count = mem_array(n, sizeof *count);
  if (!count) return scr_fail_memory(error, "an order of spheres", n * sizeof *count);
  for (size_t b = 0; b < s->body->bond_count; ++b) ++count[near_end(s, b)];
  for (size_t begin = 0; begin < n; begin += BATCH_BLOCK) {
    size_t size = n - begin < BATCH_BLOCK ? n - begin : BATCH_BLOCK;
    uint32_t *sphere = s->batches->sphere + begin;
    for (size_t k = 0; k < size; ++k) keys[k] = (curve_key){(uint64_t)(UINT32_MAX - count[sphere[k]]) << 32 | k, sphere[k]};
    qsort(keys, size, sizeof *keys, compare_keys);
    for (size_t k = 0; k < size; ++k) sphere[k] = keys[k].sphere;
  }
  for (size_t k = 0; k < n; ++k) {
    s->place[s->batches->sphere[k]] = (uint32_t)k;
    s->first[k + 1] = s->first[k] + count[s->batches->sphere[k]];
  }
  memset(count, 0, n * sizeof *count);
  for (size_t b = 0; b < s->body->bond_count; ++b) {
    uint32_t near = near_end(s, b);
    s->owned[s->first[s->place[near]] + count[near]++] = (uint32_t)b;
  }
  mem_free(count);
  return SCR_OK;
}

static uint32_t far_end(const sorting *s, size_t bond, uint32_t near)
{
  const uint32_t *end = s->body->ends[bond];
  return end[0] == near ? end[1] : end[0];
}

static uint32_t padded(uint32_t count)
{
  return (count + BATCH_LANES - 1) / BATCH_LANES * BATCH_LANES;
}

static bool own(const batch_block *block, uint32_t place)
{
  return place >= block->first_place && place < block->first_place + block->own_count;
}

/* Far ends of a block's bonds that lie in later blocks, each once: counted, and listed by place when there is a list. */
static uint32_t count_ghosts(const sorting *s, size_t index, uint32_t *ghost)
{
  const bdem_batches *t = s->batches;
  const batch_block *block = &t->block[index];
  uint32_t count = 0;
  for (size_t place = block->first_place; place < block->first_place + block->own_count; ++place)
    for (size_t k = s->first[place]; k < s->first[place + 1]; ++k) {
      uint32_t sphere = far_end(s, s->owned[k], t->sphere[place]);
      if (own(block, s->place[sphere]) || s->visited[sphere] == index + 1) continue;
      s->visited[sphere] = (uint32_t)index + 1;
      if (ghost) ghost[count] = s->place[sphere];
      ++count;
    }
  return count;
}

/* Blocks, their guests' number, and where everything starts. */
static void count_rows(const sorting *s)
{
  bdem_batches *t = s->batches;
  batch_block next = {0};
  for (size_t index = 0; index < t->block_count; ++index) {
    batch_block *block = &t->block[index];
    size_t left = t->sphere_count - next.first_place;
    *block = next;
    block->own_count = (uint32_t)(left < BATCH_BLOCK ? left : BATCH_BLOCK);
    block->ghost_count = count_ghosts(s, index, NULL);
    block->earliest = index;
    size_t rows = padded(block->own_count) + block->ghost_count;
    next.first_place += block->own_count;
    next.first_ghost += block->ghost_count;
    next.first_chunk += padded(block->own_count) / BATCH_LANES;
    if (rows > t->rows) t->rows = rows;
  }
  t->block[t->block_count] = next;
  t->chunk_count = next.first_chunk;
}

static int compare_places(const void *a, const void *b)
{
  const uint32_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Guests by place, and what their rows are in the blocks whose own they are. */
static void list_ghosts(const sorting *s)
{
  bdem_batches *t = s->batches;
  memset(s->visited, 0, t->sphere_count * sizeof *s->visited);
  for (size_t index = 0; index < t->block_count; ++index) {
    const batch_block *block = &t->block[index];
    uint32_t *place = t->ghost + block->first_ghost;
    (void)count_ghosts(s, index, place);
    qsort(place, block->ghost_count, sizeof *place, compare_places);
    for (size_t k = 0; k < block->ghost_count; ++k) {
      t->ghost_row[block->first_ghost + k] = place[k] % BATCH_BLOCK;
      place[k] = t->sphere[place[k]];
    }
  }
}

/* The first sphere of a chunk has the most bonds. */
static void count_batches(const sorting *s)
{
  bdem_batches *t = s->batches;
  for (size_t index = 0; index < t->block_count; ++index)
    for (size_t chunk = t->block[index].first_chunk; chunk < t->block[index + 1].first_chunk; ++chunk) {
      size_t place = t->block[index].first_place + BATCH_LANES * (chunk - t->block[index].first_chunk);
      t->first_batch[chunk + 1] = t->first_batch[chunk] + (s->first[place + 1] - s->first[place]);
    }
  t->batch_count = t->first_batch[t->chunk_count];
}

/* Row of a sphere in a block whose guests' rows are known. */
static uint32_t row_of(const sorting *s, const batch_block *block, uint32_t sphere)
{
  uint32_t place = s->place[sphere];
  return own(block, place) ? place - (uint32_t)block->first_place : s->row[sphere];
}

/* Equal but for the rounding of positions far from the origin: 5e-14 is the rounding of places 200 sphere diameters away from it, and below
 * the 1e-13 to which forces are promised. */
static bool close_to(const double *a, const double *b, const double *scale)
{
  for (int m = 0; m < BATCH_LANES; ++m)
    if (fabs(a[m] - b[m]) > 5e-14 * scale[m]) return false;
  return true;
}

static bool same(const batch_stiffness *a, const batch_stiffness *b)
{
  return close_to(a->stretch, b->stretch, b->stretch) && close_to(a->shear, b->shear, b->shear) && close_to(a->bend, b->bend, b->bend) &&
         close_to(a->excess, b->excess, b->bend) && close_to(a->tension, b->tension, b->tension) &&
         close_to(a->bending, b->bending, b->bending) && close_to(a->sliding, b->sliding, b->sliding) &&
         close_to(a->torsion, b->torsion, b->torsion);
}

/* Which of the last few distinct ones it is, or their number if none. */
static size_t find_stiffness(const bdem_batches *t, size_t count, const batch_stiffness *wanted)
{
  for (size_t back = 1; back <= 8 && back <= count; ++back)
    if (same(wanted, &t->stiffness[count - back])) return count - back;
  return count;
}

/* Copies a bond's constants into a lane; the direction turned round when the bond's first end is the far one. */
static void fill_lane(batch_rest *rest, batch_stiffness *stiffness, int lane, const bdem_bond *bond, const bdem_section *section,
                      bool reversed)
{
  for (int d = 0; d < 3; ++d) rest->direction[d][lane] = reversed ? -bond->direction[d] : bond->direction[d];
  rest->length[lane] = bond->length;
  stiffness->stretch[lane] = bond->stretch;
  stiffness->shear[lane] = bond->shear;
  stiffness->bend[lane] = 0.5 * bond->bend;
  stiffness->excess[lane] = 0.5 * (bond->twist - bond->bend);
  if (!section) return;
  stiffness->tension[lane] = bond->stretch * section->area_inverse / section->tensile_strength;
  stiffness->bending[lane] = bond->bend * section->bend_stress / section->tensile_strength;
  stiffness->sliding[lane] = section->area_inverse / section->shear_strength;
  stiffness->torsion[lane] = bond->twist * section->twist_stress / section->shear_strength;
  stiffness->turning[lane] = pow(fmax(stiffness->bending[lane], stiffness->torsion[lane]), 2.0);
}

/* Batch number `batch`, the one of index `nth` in its chunk, whose lane 0 is row `near` of the block. */
static void fill_batch(const sorting *s, const batch_block *block, size_t batch, size_t nth, uint32_t near, batch_stiffness *stiffness)
{
  bdem_batches *t = s->batches;
  t->near[batch] = near;
  for (int m = 0; m < BATCH_LANES; ++m) {
    uint32_t row = near + (uint32_t)m;
    size_t place = block->first_place + row;
    bool full = row < block->own_count && nth < s->first[place + 1] - s->first[place];
    /* The first sphere of a chunk has the most bonds, so lane 0 is never empty and the empty ones borrow its constants. */
    size_t owner = full ? place : block->first_place + near, bond = s->owned[s->first[owner] + nth];
    uint32_t sphere = t->sphere[owner];
    fill_lane(&t->rest[batch], stiffness, m, &s->body->bonds[bond], s->section ? s->section[bond] : NULL, s->body->ends[bond][0] != sphere);
    t->bond[batch][m] = (uint32_t)bond;
    t->far[batch][m] = BATCH_ROW * (full ? row_of(s, block, far_end(s, bond, sphere)) : row);
    if (full) t->lane[bond] = (uint32_t)(BATCH_LANES * batch) + (uint32_t)m;
  }
}

static scr_status fill_batches(const sorting *s, scr_error *error)
{
  bdem_batches *t = s->batches;
  size_t capacity = 0, count = 0;
  for (size_t index = 0; index < t->block_count; ++index) {
    const batch_block *block = &t->block[index];
    for (uint32_t k = 0; k < block->ghost_count; ++k) s->row[t->ghost[block->first_ghost + k]] = padded(block->own_count) + k;
    for (size_t chunk = block->first_chunk; chunk < t->block[index + 1].first_chunk; ++chunk)
      for (size_t batch = t->first_batch[chunk]; batch < t->first_batch[chunk + 1]; ++batch) {
        batch_stiffness stiffness = {0};
        uint32_t near = (uint32_t)(BATCH_LANES * (chunk - block->first_chunk));
        fill_batch(s, block, batch, batch - t->first_batch[chunk], near, &stiffness);
        size_t at = find_stiffness(t, count, &stiffness);
        t->stiffness_of[batch] = (uint32_t)at;
        if (at < count) continue;
        SCR_TRY(mem_reserve(&t->stiffness, &capacity, count + 1, sizeof *t->stiffness, "the stiffnesses of bonds", error));
        t->stiffness[count++] = stiffness;
      }
  }
  return SCR_OK;
}

/* Where a run of a block's guests that are in the same other block ends. */
static size_t end_of_run(const sorting *s, size_t ghost, size_t end)
{
  const bdem_batches *t = s->batches;
  uint32_t block = s->place[t->ghost[ghost]] / BATCH_BLOCK;
  while (ghost < end && s->place[t->ghost[ghost]] / BATCH_BLOCK == block) ++ghost;
  return ghost;
}

/* What is counted by the body, by the chunks, by the batches, and by who guests where, each of which needs what is before it. */
enum { OF_BODY = 3, OF_CHUNKS = 1, OF_BATCHES = 12, OF_PARTS = 1, FIELDS = OF_BODY + OF_CHUNKS + OF_BATCHES + OF_PARTS };
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("spheres of batches", bdem_batches, sphere, sphere_count, 0),
    FIELD_STARTS("blocks of batches", bdem_batches, block, block_count, 0),
    FIELD_ARRAY("lanes of bonds", bdem_batches, lane, bond_count, 0),
    FIELD_STARTS("chunks of batches", bdem_batches, first_batch, chunk_count, 0),
    FIELD_ARRAY("guests of blocks", bdem_batches, ghost, ghost_count, 0),
    FIELD_ARRAY("rows of guests", bdem_batches, ghost_row, ghost_count, 0),
    FIELD_ARRAY("sums of guests", bdem_batches, ghost_sum, ghost_count, 0),
    FIELD_ARRAY("waiting sums", bdem_batches, waiting_sum, waiting_count, 0),
    FIELD_ARRAY("far ends", bdem_batches, far, batch_count, 0),
    FIELD_ARRAY("near ends", bdem_batches, near, batch_count, 0),
    FIELD_ARRAY("bonds at rest", bdem_batches, rest, batch_count, 0),
    FIELD_ARRAY("bonds of batches", bdem_batches, bond, batch_count, 0),
    FIELD_ARRAY("strained bonds", bdem_batches, strained, batch_count, 0),
    FIELD_ARRAY("stiffnesses of batches", bdem_batches, stiffness_of, batch_count, 0),
    FIELD_ARRAY("states of blocks", bdem_batches, state, row_count, 0),
    FIELD_ARRAY("sums of blocks", bdem_batches, sum, row_count, 0),
    FIELD_ARRAY("parts of sums", bdem_batches, part, part_count, 0),
};

static const sim_field sorting_fields[] = {
    FIELD_ARRAY("ranks", sorting, rank, sphere_count, 0),
    FIELD_ARRAY("places", sorting, place, sphere_count, 0),
    FIELD_STARTS("rows of owned bonds", sorting, first, sphere_count, 0),
    FIELD_ARRAY("owned bonds", sorting, owned, bond_count, 0),
    FIELD_ARRAY("rows", sorting, row, sphere_count, 0),
    FIELD_ARRAY("marks", sorting, visited, sphere_count, 0),
};

/* Lists, for every block, the runs of guests in earlier blocks that are its own, in the order of the blocks: counts, then lists. */
static scr_status list_parts(const sorting *s, scr_error *error)
{
  bdem_batches *t = s->batches;
  for (int pass = 0; pass < 2; ++pass) { /* in the end first_part has moved to the start again */
    for (size_t index = t->block_count; index-- > 0;) {
      size_t end = t->block[index + 1].first_ghost, next;
      for (size_t ghost = t->block[index].first_ghost; ghost < end; ghost = next) {
        batch_block *in = &t->block[s->place[t->ghost[ghost]] / BATCH_BLOCK];
        next = end_of_run(s, ghost, end);
        in->earliest = index;
        if (pass == 0)
          ++in->first_part;
        else
          t->part[--in->first_part] = (batch_part){(uint32_t)ghost, (uint32_t)(next - ghost)};
      }
    }
    if (pass == 1) break;
    for (size_t index = 0; index <= t->block_count; ++index) t->part_count = t->block[index].first_part += t->part_count;
    SCR_TRY(fields_allocate(fields + FIELDS - OF_PARTS, OF_PARTS, t, error));
  }
  return SCR_OK;
}

static scr_status sort_bonds(const sorting *s, scr_error *error)
{
  bdem_batches *t = s->batches;
  t->block_count = (t->sphere_count + BATCH_BLOCK - 1) / BATCH_BLOCK;
  SCR_TRY(fields_allocate(fields, OF_BODY, t, error));
  SCR_TRY(sort_along_curve(s, error));
  SCR_TRY(sort_within_blocks(s, error));
  count_rows(s);
  SCR_TRY(fields_allocate(fields + OF_BODY, OF_CHUNKS, t, error));
  count_batches(s);
  if (t->batch_count >= MOST || t->block[t->block_count].first_ghost >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu batches of bonds; the most are %d: use fewer spheres", t->batch_count, MOST);
  t->ghost_count = t->block[t->block_count].first_ghost;
  t->waiting_count = t->execution.threads > 1 ? t->sphere_count : 0;
  t->row_count = t->rows * t->execution.threads;
  SCR_TRY(fields_allocate(fields + OF_BODY + OF_CHUNKS, OF_BATCHES, t, error));
  list_ghosts(s);
  SCR_TRY(fill_batches(s, error));
  return list_parts(s, error);
}

static scr_status check(const bdem_body *body, scr_execution execution, scr_error *error)
{
  if (body->sphere_count > MOST || body->bond_count > MOST || execution.threads < 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu spheres, %zu bonds, %u threads: at most %d of the first two, at least one of the last",
                    body->sphere_count, body->bond_count, execution.threads, MOST);
  for (size_t k = 0; k < body->sphere_count; ++k)
    if (!isfinite(vec3_dot(body->position[k], body->position[k])))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "sphere %zu is at (%.3g, %.3g, %.3g); positions must be finite", k, body->position[k].x,
                      body->position[k].y, body->position[k].z);
  for (size_t b = 0; b < body->bond_count; ++b)
    if (body->ends[b][0] >= body->sphere_count || body->ends[b][1] >= body->sphere_count || body->ends[b][0] == body->ends[b][1])
      return scr_fail(error, SCR_BAD_USAGE, NULL, "bond %zu joins spheres %u and %u of %zu", b, body->ends[b][0], body->ends[b][1],
                      body->sphere_count);
  return SCR_OK;
}

scr_status bdem_batches_create(const bdem_body *body, const bdem_section *const *section, scr_execution execution, bdem_batches *batches,
                               scr_error *error)
{
  size_t n = body->sphere_count, b = body->bond_count;
  *batches = (bdem_batches){
      .sphere_count = n, .bond_count = b, .execution = execution, .breakable = section != NULL, .kernel = batch_kernel_best()};
  SCR_TRY(check(body, execution, error));
  sorting s = {.body = body, .section = section, .batches = batches, .sphere_count = n, .bond_count = b};
  scr_status status = fields_allocate(sorting_fields, FIELD_COUNT(sorting_fields), &s, error);
  if (status == SCR_OK) status = sort_bonds(&s, error);
  fields_free(sorting_fields, FIELD_COUNT(sorting_fields), &s);
  if (status != SCR_OK) bdem_batches_destroy(batches);
  return status;
}

void bdem_batches_destroy(bdem_batches *batches)
{
  if (!batches) return;
  fields_free(fields, FIELDS, batches);
  mem_free(batches->stiffness);
  *batches = (bdem_batches){0};
}

void bdem_batches_cut(bdem_batches *batches, size_t bond)
{
  uint32_t batch = batches->lane[bond] / BATCH_LANES, lane = batches->lane[bond] % BATCH_LANES;
  batches->far[batch][lane] = BATCH_ROW * (batches->near[batch] + lane);
  batches->cut = true;
}

void bdem_batches_drop(bdem_batches *batches, const unsigned char *gone)
{
  size_t kept = 0;
  for (size_t b = 0; b < batches->bond_count; ++b) {
    uint32_t at = batches->lane[b], batch = at / BATCH_LANES, lane = at % BATCH_LANES;
    if (gone[b]) {
      bdem_batches_cut(batches, b);
      continue;
    }
    batches->bond[batch][lane] = (uint32_t)kept;
    batches->lane[kept++] = at;
  }
  batches->bond_count = kept;
}

size_t bdem_batches_strained(const bdem_batches *batches, uint32_t *bonds)
{
  size_t count = 0;
  for (size_t batch = 0; batch < batches->batch_count; ++batch)
    for (unsigned left = batches->strained[batch]; left; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctz(left);
      if (batches->far[batch][lane] != BATCH_ROW * (batches->near[batch] + lane)) bonds[count++] = batches->bond[batch][lane];
    }
  return count;
}
