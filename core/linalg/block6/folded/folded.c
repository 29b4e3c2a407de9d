/** Pattern and product of folded matrices. */
#include "linalg/block6/folded/folded.h"

#include <stdlib.h>

#include "base/memory.h"

const la_single_kernels *la_single_best(void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return &la_single_avx2;
#endif
  return &la_single_portable;
}

void la_round_block(const double *block, la_rounded_block *rounded)
{
  double largest = 0.0;
  for (int e = 0; e < LA_BLOCK_SIZE; ++e) largest = isnan(largest) || fabs(block[e]) <= largest ? largest : fabs(block[e]);
  double scale = largest / 32767.0, inverse = largest > 1e-30 && largest < 1e30 ? 1.0 / scale : 0.0;
  rounded->scale = inverse > 0.0 ? (float)scale : 0.0f;
  for (int e = 0; e < LA_BLOCK_SIZE; ++e) rounded->entry[e] = (int16_t)(inverse > 0.0 ? lrint(block[e] * inverse) : 0);
}

static size_t count_upper(const la_block_graph *graph)
{
  size_t count = 0;
  for (size_t row = 0; row < graph->row_count; ++row)
    for (size_t k = graph->first[row]; k < graph->first[row + 1]; ++k) count += graph->column[k] > row;
  return count;
}

static size_t chunk_end(const la_folded *folded, size_t chunk)
{
  size_t end = (chunk + 1) * FOLDED_CHUNK;
  return end < folded->row_count ? end : folded->row_count;
}

static int compare_rows(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Lists a chunk's guests, each once: seen[row] is the number plus one of the chunk that met it last. */
static size_t count_ghosts(const la_block_graph *graph, size_t chunk, size_t begin, size_t end, size_t *seen, uint32_t *ghost)
{
  size_t count = 0;
  for (size_t row = begin; row < end; ++row)
    for (size_t k = graph->first[row]; k < graph->first[row + 1]; ++k) {
      uint32_t column = graph->column[k];
      if (column < end || seen[column] == chunk + 1) continue;
      seen[column] = chunk + 1;
      ghost[count++] = column;
    }
  if (count > 1) qsort(ghost, count, sizeof *ghost, compare_rows);
  return count;
}

/* Guests of all chunks and the places of all blocks. `seen` and `place`: [row_count] scratch, zeroed. */
static bool list_ghosts(la_folded *f, const la_block_graph *graph, size_t *seen, uint32_t *place)
{
  size_t capacity = 0, block = 0;
  for (size_t chunk = 0; chunk < f->chunk_count; ++chunk) {
    size_t begin = chunk * FOLDED_CHUNK, end = chunk_end(f, chunk), at = f->first_ghost[chunk];
    if (!mem_grow(&f->ghost, &capacity, at + (f->row_count - end), sizeof *f->ghost)) return false;
    size_t count = count_ghosts(graph, chunk, begin, end, seen, f->ghost + at);
    for (size_t k = 0; k < count; ++k) place[f->ghost[at + k]] = (uint32_t)(end - begin + k);
    for (size_t row = begin; row < end; ++row) {
      for (size_t k = graph->first[row]; k < graph->first[row + 1]; ++k) {
        uint32_t column = graph->column[k];
        if (column > row) f->local[block++] = column < end ? column - (uint32_t)begin : place[column];
      }
      f->first[row + 1] = block;
    }
    f->first_ghost[chunk + 1] = at + count;
    if (end - begin + count > f->local_rows) f->local_rows = end - begin + count;
  }
  return true;
}

/* Runs of guests by the chunk that they are rows of; within one, by the chunk that has them. Counted first, then placed. */
static bool list_parts(la_folded *f)
{
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t chunk = 0; chunk < f->chunk_count; ++chunk)
      for (size_t k = f->first_ghost[chunk], next; k < f->first_ghost[chunk + 1]; k = next) {
        size_t host = f->ghost[k] / FOLDED_CHUNK;
        for (next = k; next < f->first_ghost[chunk + 1] && f->ghost[next] / FOLDED_CHUNK == host; ++next) {
        }
        if (pass == 0)
          f->first_part[host + 1]++;
        else
          f->part[f->first_part[host]++] = (la_folded_part){k, (uint32_t)(next - k)};
      }
    for (size_t chunk = 0; pass == 0 && chunk < f->chunk_count; ++chunk) f->first_part[chunk + 1] += f->first_part[chunk];
    if (pass == 0) f->part = mem_array(f->first_part[f->chunk_count], sizeof *f->part);
    if (!f->part) return false;
  }
  for (size_t chunk = f->chunk_count; chunk > 0; --chunk) f->first_part[chunk] = f->first_part[chunk - 1];
  f->first_part[0] = 0;
  return true;
}

scr_status la_folded_create(la_folded *f, const la_block_graph *graph, scr_execution execution, scr_error *error)
{
  size_t n = graph->row_count, blocks = count_upper(graph), chunks = (n + FOLDED_CHUNK - 1) / FOLDED_CHUNK;
  size_t *seen = mem_array(n, sizeof *seen);
  uint32_t *place = mem_array(n, sizeof *place);
  *f = (la_folded){.row_count = n, .block_count = blocks, .chunk_count = chunks, .execution = execution};
  f->first = mem_array(n + 1, sizeof *f->first);
  f->local = mem_array(blocks, sizeof *f->local);
  f->first_ghost = mem_array(chunks + 1, sizeof *f->first_ghost);
  f->first_part = mem_array(chunks + 1, sizeof *f->first_part);
  f->values = mem_array(blocks, sizeof *f->values);
  bool done = seen && place && f->first && f->local && f->first_ghost && f->first_part && f->values && list_ghosts(f, graph, seen, place) &&
              list_parts(f);
  if (done) {
    f->ghost_sum = mem_array(f->first_ghost[chunks], FOLDED_ROW * sizeof *f->ghost_sum);
    f->scratch = mem_array(2 * execution.threads * f->local_rows, FOLDED_ROW * sizeof *f->scratch);
    done = f->ghost_sum && f->scratch;
  }
  mem_free(seen);
  mem_free(place);
  return done ? SCR_OK : scr_fail_memory(error, "a multigrid level", blocks * sizeof *f->values);
}

void la_folded_clear(la_folded *f)
{
  void *arrays[] = {f->first, f->local, f->first_ghost, f->ghost, f->first_part, f->part, f->values, f->ghost_sum, f->scratch};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  *f = (la_folded){0};
}

size_t la_folded_bytes(const la_folded *f)
{
  size_t ghosts = f->first_ghost ? f->first_ghost[f->chunk_count] : 0;
  return f->row_count * sizeof *f->first + f->block_count * (sizeof *f->values + sizeof *f->local) +
         ghosts * (sizeof *f->ghost + FOLDED_ROW * sizeof(float)) + 2 * f->execution.threads * f->local_rows * FOLDED_ROW * sizeof(float);
}

void la_folded_evaluate(const la_folded *f, size_t chunk, const float *x, float *y, unsigned thread)
{
  size_t begin = chunk * FOLDED_CHUNK, own = chunk_end(f, chunk) - begin, row = FOLDED_ROW * sizeof(float);
  size_t ghost = f->first_ghost[chunk], ghosts = f->first_ghost[chunk + 1] - ghost;
  float *from = f->scratch + FOLDED_ROW * f->local_rows * 2 * thread, *to = from + FOLDED_ROW * f->local_rows;
  memcpy(from, x + FOLDED_ROW * begin, own * row);
  for (size_t k = 0; k < ghosts; ++k) memcpy(from + FOLDED_ROW * (own + k), x + (size_t)FOLDED_ROW * f->ghost[ghost + k], row);
  memcpy(to, from, own * row); /* the diagonal */
  memset(to + FOLDED_ROW * own, 0, ghosts * row);
  la_single_best()->fold(f->values, f->first + begin, f->local, own, from, to);
  memcpy(y + FOLDED_ROW * begin, to, own * row);
  memcpy(f->ghost_sum + FOLDED_ROW * ghost, to + FOLDED_ROW * own, ghosts * row);
}

void la_folded_collect(const la_folded *f, size_t chunk, float *y)
{
  for (size_t p = f->first_part[chunk]; p < f->first_part[chunk + 1]; ++p)
    for (size_t k = f->part[p].first_ghost; k < f->part[p].first_ghost + f->part[p].count; ++k) {
      float *to = y + (size_t)FOLDED_ROW * f->ghost[k];
      const float *from = f->ghost_sum + FOLDED_ROW * k;
      for (int d = 0; d < FOLDED_ROW; ++d) to[d] += from[d];
    }
}
