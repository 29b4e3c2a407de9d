/* The host's order of sums, found by going through its loops once to count and once to fill. */
#include "methods/bdem/device/columns.h"

#include "base/memory.h"

/* The AVX2 kernel's registers hold four lanes; a block's chunks are gone through in so many runs (bond_batch_force.c). */
enum { WIDTH = 4 };

/* Rows are places, then guests. */
typedef struct maker {
  const bdem_batches *t;
  bdem_columns *columns;
  uint32_t *count; /* [rows] far ends so far */
  size_t *first;   /* [rows + 1] */
  uint32_t *lane;  /* [far ends] of each row, in order; NULL while they are counted */
} maker;

static uint32_t padded(uint32_t count)
{
  return (count + BATCH_LANES - 1) / BATCH_LANES * BATCH_LANES;
}

/* Row of a row of a block; SIZE_MAX: one of those that fill up its last chunk. */
static size_t row_of(const bdem_batches *t, const batch_block *block, uint32_t row)
{
  uint32_t own = padded(block->own_count);
  if (row < block->own_count) return block->first_place + row;
  return row < own ? SIZE_MAX : t->sphere_count + block->first_ghost + (row - own);
}

static uint32_t sphere_of(const bdem_batches *t, size_t row)
{
  if (row == SIZE_MAX) return 0;
  return row < t->sphere_count ? t->sphere[row] : t->ghost[row - t->sphere_count];
}

/* Far ends of some lanes of a batch, as add_to_rows takes them. */
static void add_far(maker *m, const batch_block *block, size_t batch, uint32_t at)
{
  const bdem_batches *t = m->t;
  for (uint32_t lane = at; lane < at + WIDTH; lane++) {
    uint32_t row = t->far[batch][lane] / BATCH_ROW;
    if (row == t->near[batch] + lane) continue; /* empty */
    size_t to = row_of(t, block, row);
    if (m->lane) m->lane[m->first[to] + m->count[to]] = (uint32_t)(BATCH_LANES * batch + lane);
    m->count[to]++;
  }
}

/* The sums of a chunk's near ends. */
static void add_near(maker *m, const batch_block *block, size_t chunk, uint32_t at)
{
  bdem_columns *c = m->columns;
  size_t batch = m->t->first_batch[chunk];
  for (uint32_t lane = at; lane < at + WIDTH; lane++) {
    size_t place = row_of(m->t, block, (uint32_t)(BATCH_LANES * (chunk - block->first_chunk)) + lane);
    if (place == SIZE_MAX) continue;
    c->near_at[place] = m->count[place];
    c->first_near[place] = (uint32_t)(BATCH_LANES * batch + lane);
    c->near_count[place] = (uint32_t)(m->t->first_batch[chunk + 1] - batch);
  }
}

/* evaluate_lanes of the host's kernel: far ends are added one batch later, so after the near ends of a chunk whose last batch it is. */
static void add_lanes(maker *m, const batch_block *block, size_t begin, size_t end, uint32_t at)
{
  const bdem_batches *t = m->t;
  size_t batch = t->first_batch[begin], first = batch, last = t->first_batch[end];
  for (size_t chunk = begin; batch < last; chunk++) {
    for (; batch < t->first_batch[chunk + 1]; batch++)
      if (batch > first) add_far(m, block, batch - 1, at);
    add_near(m, block, chunk, at);
  }
  if (last > first) add_far(m, block, last - 1, at);
}

static void add_blocks(maker *m)
{
  const bdem_batches *t = m->t;
  for (size_t index = 0; index < t->block_count; index++) {
    const batch_block *block = &t->block[index];
    size_t chunks = block[1].first_chunk - block->first_chunk;
    for (size_t piece = 0; piece < BATCH_PIECES; piece++)
      for (uint32_t at = 0; at < BATCH_LANES; at += WIDTH)
        add_lanes(m, block, block->first_chunk + chunks * piece / BATCH_PIECES, block->first_chunk + chunks * (piece + 1) / BATCH_PIECES,
                  at);
  }
}

/* A row's far ends go into the column of a place, behind what it has. */
static void append(const maker *m, size_t place, size_t row, bool counting)
{
  bdem_columns *c = m->columns;
  for (size_t k = m->first[row]; k < m->first[row + 1]; k++) {
    bool begins = row != place && k == m->first[row];
    if (!counting) c->entry[c->count[place] * c->places + place] = m->lane[k] | (begins ? BDEM_PART_BEGINS : 0);
    c->count[place]++;
  }
}

/* Own far ends of each place, then those of its parts in earlier blocks, as add_parts has them. */
static void join(const maker *m, bool counting)
{
  const bdem_batches *t = m->t;
  bdem_columns *c = m->columns;
  for (size_t place = 0; place < c->places; place++) {
    c->count[place] = 0;
    append(m, place, place, counting);
  }
  for (size_t index = 0; index < t->block_count; index++)
    for (size_t p = t->block[index].first_part; p < t->block[index + 1].first_part; p++)
      for (uint32_t k = t->part[p].first_ghost; k < t->part[p].first_ghost + t->part[p].count; k++)
        append(m, t->block[index].first_place + t->ghost_row[k], t->sphere_count + k, counting);
  for (size_t place = 0; place < c->places && counting; place++) c->longest = c->count[place] > c->longest ? c->count[place] : c->longest;
}

static void set_ends(const bdem_batches *t, bdem_columns *c, bool near)
{
  for (size_t index = 0; index < t->block_count; index++) {
    const batch_block *block = &t->block[index];
    for (size_t batch = t->first_batch[block->first_chunk]; batch < t->first_batch[block[1].first_chunk]; batch++)
      for (uint32_t lane = 0; lane < BATCH_LANES; lane++) {
        size_t at = BATCH_LANES * batch + lane;
        if (near) c->near[at] = sphere_of(t, row_of(t, block, t->near[batch] + lane));
        c->far[at] = sphere_of(t, row_of(t, block, t->far[batch][lane] / BATCH_ROW));
      }
  }
}

void bdem_columns_follow(const bdem_batches *batches, bdem_columns *columns)
{
  set_ends(batches, columns, false);
}

static scr_status fill(maker *m, size_t rows, scr_error *error)
{
  bdem_columns *c = m->columns;
  add_blocks(m);
  for (size_t row = 0; row < rows; row++) {
    m->first[row + 1] = m->first[row] + m->count[row];
    m->count[row] = 0;
  }
  SCR_TRY(mem_allocate(&m->lane, m->first[rows], sizeof *m->lane, "the order of bonds' sums", error));
  add_blocks(m);
  join(m, true);
  SCR_TRY(mem_allocate(&c->entry, c->longest * c->places, sizeof *c->entry, "the order of bonds' sums", error));
  join(m, false);
  set_ends(m->t, c, true);
  return SCR_OK;
}

scr_status bdem_columns_create(const bdem_batches *batches, bdem_columns *columns, scr_error *error)
{
  size_t n = batches->sphere_count, rows = n + batches->block[batches->block_count].first_ghost, lanes = BATCH_LANES * batches->batch_count;
  maker m = {.t = batches, .columns = columns};
  *columns = (bdem_columns){.places = n, .lanes = lanes};
  if (lanes >= BDEM_PART_BEGINS) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu lanes of bonds are too many for a device", lanes);
  uint32_t **arrays[] = {&columns->near,       &columns->far,        &columns->count, &columns->near_at,
                         &columns->first_near, &columns->near_count, &m.count};
  const size_t sizes[] = {lanes, lanes, n, n, n, n, rows};
  scr_status status = mem_allocate(&m.first, rows + 1, sizeof *m.first, "the order of bonds' sums", error);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == SCR_OK; k++)
    status = mem_allocate(arrays[k], sizes[k], sizeof **arrays[k], "the order of bonds' sums", error);
  if (status == SCR_OK) status = fill(&m, rows, error);
  mem_free(m.count);
  mem_free(m.first);
  mem_free(m.lane);
  return status;
}

void bdem_columns_clear(bdem_columns *columns)
{
  uint32_t *all[] = {columns->near,    columns->far,        columns->entry,     columns->count,
                     columns->near_at, columns->first_near, columns->near_count};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  *columns = (bdem_columns){0};
}
