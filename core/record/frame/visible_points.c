/* Which points of a frame are seen from outside: occupancy of a grid, one bit a cell. */
#include "record/frame/visible_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/file/record.h"

static const double cell_diameters = 1.8; /* see outside.h */
static const double most_cells = 1 << 28; /* 32 MiB of bits: a sparser cloud hides little */

bool frame_points_level(int64_t wished, uint32_t *level)
{
  *level = 0;
  if (wished < FRAME_POINTS_LEAST) return wished == 0;
  *level = FRAME_POINTS_LEAST;
  for (int k = 1; k < FRAME_POINTS_LEVELS && (int64_t)*level * FRAME_POINTS_STEP <= wished; k++) *level *= FRAME_POINTS_STEP;
  return true;
}

/* ── the grid ── */

typedef struct cells {
  double low[3], per_edge;
  uint64_t count[3]; /* with an empty layer on all sides */
  uint64_t *bits;
} cells;

static uint64_t cell_of(const cells *grid, const frame_array *position, uint32_t point)
{
  uint64_t at[3];
  for (uint32_t a = 0; a < 3; a++) {
    double along = (frame_array_value(position, point, a) - grid->low[a]) * grid->per_edge;
    at[a] = 1 + (uint64_t)fmin(fmax(along, 0), (double)(grid->count[a] - 3));
  }
  return (at[2] * grid->count[1] + at[1]) * grid->count[0] + at[0];
}

static bool is_taken(const cells *grid, uint64_t cell)
{
  return grid->bits[cell / 64] >> (cell % 64) & 1;
}

/* @return whether the grid is there: not without memory, nor for points so far apart that it would be too large */
static bool lay_grid(cells *grid, const frame_array *position, double radius)
{
  const scr_array_header *header = &position->header;
  double cell_count = 1;
  grid->per_edge = 1 / (cell_diameters * 2 * radius);
  if (!isfinite(grid->per_edge)) return false;
  for (int a = 0; a < 3; a++) {
    double cells_along = floor((header->high[a] - header->low[a]) * grid->per_edge) + 3;
    cell_count *= cells_along;
    if (!(cells_along >= 3) || cell_count > most_cells) return false;
    grid->low[a] = header->low[a];
    grid->count[a] = (uint64_t)cells_along;
  }
  grid->bits = mem_array((uint64_t)cell_count / 64 + 1, sizeof *grid->bits);
  if (!grid->bits) return false;
  for (uint32_t i = 0; i < position->element_count; i++) {
    uint64_t cell = cell_of(grid, position, i);
    grid->bits[cell / 64] |= (uint64_t)1 << (cell % 64);
  }
  return true;
}

static bool is_outside(const cells *grid, uint64_t cell)
{
  uint64_t row = grid->count[0], layer = row * grid->count[1], corner = cell - layer - row - 1;
  for (uint64_t k = 0; k < 27; k++)
    if (!is_taken(grid, corner + k % 3 + k / 3 % 3 * row + k / 9 * layer)) return true;
  return false;
}

/* ── which points ── */

/* A point's number, spread over 32 bits: one in `among` of them is 0 modulo it, in no pattern that a lattice would show. */
static bool is_drawn(uint32_t point, uint32_t among)
{
  return among < 2 || (point * 0x9e3779b1u >> 8) % among == 0;
}

/* Numbers of the points to be kept into `kept` [element_count]. `*thinned` becomes at least the number of which one is kept. @return how
 * many */
static uint32_t choose(const frame_array *position, double radius, uint32_t most, uint32_t *kept, uint32_t *thinned)
{
  cells grid = {0};
  uint32_t count = 0, drawn = 0;
  bool laid = lay_grid(&grid, position, radius);
  for (uint32_t i = 0; i < position->element_count; i++)
    if (!laid || is_outside(&grid, cell_of(&grid, position, i))) kept[count++] = i;
  mem_free(grid.bits);
  if (count <= most || most == 0) return count;
  uint32_t among = 1 + (count - 1) / most;
  if (among > *thinned) *thinned = among;
  for (uint32_t i = 0; i < count; i++)
    if (is_drawn(kept[i], among)) kept[drawn++] = kept[i];
  return drawn;
}

/* ── the payload ── */

static size_t padded(size_t size)
{
  return (size + 7u) & ~(size_t)7u;
}

/* What is written: never more than was read. */
typedef struct writing {
  unsigned char *bytes;
  size_t at;
  size_t block_at; /* of the current block's header */
  uint32_t blocks, thinned;
} writing;

static void begin_block(writing *w, const frame_array *array, uint32_t count)
{
  scr_block_header header = {.drawable = array->drawable, .element_count = count};
  w->block_at = w->at;
  w->blocks++;
  memcpy(w->bytes + w->at, &header, sizeof header);
  w->at += sizeof header;
}

/* Appends an array to the block: the elements of `kept`, all when that is NULL. */
static void add_array(writing *w, const frame_array *array, const uint32_t *kept, uint32_t count)
{
  scr_array_header header = array->header;
  size_t each = array->element_count ? header.byte_size / array->element_count : 0;
  header.byte_size = (uint32_t)(each * count);
  memcpy(w->bytes + w->at, &header, sizeof header);
  unsigned char *data = w->bytes + w->at + sizeof header;
  if (!kept)
    memcpy(data, array->data, header.byte_size);
  else
    for (uint32_t i = 0; i < count; i++) memcpy(data + i * each, array->data + kept[i] * each, each);
  memset(data + header.byte_size, 0, padded(header.byte_size) - header.byte_size);
  w->at += sizeof header + padded(header.byte_size);
  scr_block_header block;
  memcpy(&block, w->bytes + w->block_at, sizeof block);
  block.array_count++;
  block.byte_size = (uint32_t)(w->at - w->block_at - sizeof block);
  memcpy(w->bytes + w->block_at, &block, sizeof block);
}

/* The drawable that is to be thinned, if this array begins its block; else NULL. */
static const scr_drawable *crowded(const scr_topology *topology, const frame_array *array, uint32_t most)
{
  if (array->drawable >= topology->drawable_count || array->element_count <= most) return NULL;
  const scr_drawable *drawable = &topology->drawables[array->drawable];
  return drawable->kind == SCR_DRAW_POINTS && array->header.field == 0 && array->header.components == 3 ? drawable : NULL;
}

/* Whether some drawable has more points than wanted, and whether the payload is a frame at all. */
static scr_status look_over(const scr_topology *topology, const void *bytes, size_t size, uint32_t most, uint32_t *largest,
                            scr_error *error)
{
  frame_reader reader;
  frame_array array;
  bool more = true;
  *largest = 0;
  SCR_TRY(frame_reader_begin(&reader, bytes, size, error));
  while (more) {
    SCR_TRY(frame_reader_next(&reader, &array, &more, error));
    if (more && crowded(topology, &array, most) && array.element_count > *largest) *largest = array.element_count;
  }
  return SCR_OK;
}

/* Sizes of the points of a drawable: its radius, or the largest of theirs. */
static double radius_of(const scr_drawable *drawable, frame_reader ahead)
{
  double radius = drawable->radius;
  frame_array array;
  bool more = true;
  while (radius <= 0 && ahead.arrays_left > 0 && frame_reader_next(&ahead, &array, &more, NULL) == SCR_OK && more)
    if (array.header.field < drawable->field_count && strcmp(drawable->fields[array.header.field].name, "radius") == 0)
      radius = array.header.high[0];
  return radius;
}

/* Writes the arrays one after the other; a block begins with every array that is its block's first. */
static void rewrite(const scr_topology *topology, frame_reader *reader, uint32_t most, uint32_t *kept, writing *w)
{
  frame_array array;
  bool more = true, thin = false;
  uint32_t count = 0;
  for (;;) {
    bool first = reader->arrays_left == 0;
    if (frame_reader_next(reader, &array, &more, NULL) != SCR_OK || !more) return;
    if (first) {
      const scr_drawable *drawable = crowded(topology, &array, most);
      thin = drawable != NULL;
      count = drawable ? choose(&array, radius_of(drawable, *reader), most, kept, &w->thinned) : array.element_count;
      begin_block(w, &array, count);
    }
    add_array(w, &array, thin ? kept : NULL, count);
  }
}

scr_status frame_visible_points(const scr_topology *topology, const void *bytes, size_t size, uint32_t most, unsigned char **payload,
                                size_t *payload_size, scr_error *error)
{
  uint32_t largest;
  frame_reader reader;
  scr_frame_header head = {0};
  *payload = NULL;
  *payload_size = 0;
  SCR_TRY(look_over(topology, bytes, size, most, &largest, error));
  SCR_TRY(frame_reader_begin(&reader, bytes, size, error));
  if (largest == 0) return SCR_OK;
  writing w = {.bytes = malloc(size)};
  uint32_t *kept = mem_array(largest, sizeof *kept);
  if (!w.bytes || !kept) {
    free(w.bytes);
    mem_free(kept);
    return scr_fail_memory(error, "the points of a frame that are seen", size);
  }
  w.at = sizeof head;
  rewrite(topology, &reader, most, kept, &w);
  head = (scr_frame_header){w.blocks, w.thinned};
  memcpy(w.bytes, &head, sizeof head);
  mem_free(kept);
  *payload = w.bytes;
  *payload_size = w.at;
  return SCR_OK;
}

scr_status record_read_outside(scr_recording *recording, const scr_topology *topology, uint64_t seq, uint32_t most, unsigned char **record,
                               size_t *record_size, scr_error *error)
{
  scr_record_header header = *scr_recording_header(recording, seq);
  size_t size = SCR_RECORD_BYTES(header.size), less = 0;
  unsigned char *bytes = malloc(size), *payload = NULL;
  if (!bytes) return scr_fail_memory(error, "a record", size);
  scr_status status = scr_recording_read(recording, seq, bytes, size, error);
  if (status == SCR_OK && header.type == SCR_RECORD_FRAME)
    status = frame_visible_points(topology, bytes + sizeof header, header.size, most, &payload, &less, error);
  if (status != SCR_OK) {
    free(bytes);
    return status;
  }
  if (payload) {
    header.size = (uint32_t)less;
    header.crc32c = record_crc(&header, payload);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, payload, less);
    size = SCR_RECORD_BYTES(header.size);
    free(payload);
  }
  *record = bytes;
  *record_size = size;
  return SCR_OK;
}
