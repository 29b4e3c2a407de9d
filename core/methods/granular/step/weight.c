/* Stresses to begin a run with. Nothing is known of them, and sweeps carry a pressure that is missing through the sand cell by cell: from
 * none, a column of 333 cells was still far from rest after a thousand. So packed sand that stands on something begins with the weight of
 * what lies above it, as if it were a liquid. Sweeps go on from there, to a solution of the same law. */
#include <math.h>

#include "base/memory.h"
#include "methods/granular/step/stages.h"

enum { COLUMNS = 16 /* most of a block, from its floor up */ };

typedef struct standing {
  int up;           /* axis */
  uint32_t columns; /* 8 or 16 */
  uint32_t next;    /* number in grid.near of the block above; 26 - next: below */
  double *mass;     /* [block_count][COLUMNS] kg, that presses on a column's floor */
  uint8_t *on_part; /* [grid.cell_count] nodes that a part holds from below */
  uint8_t *stands;  /* [cell_count] */
  uint8_t *top;     /* [block_count][COLUMNS] whether the column's highest cell stands */
} standing;

/* Numbers of a block's cells by their places; UINT32_MAX: no sand. */
static void number_cells(const granular_state *s, uint32_t block, uint32_t number[GEO_GRID_BLOCK])
{
  for (int k = 0; k < GEO_GRID_BLOCK; k++) number[k] = UINT32_MAX;
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) number[s->extra[k].place % GEO_GRID_BLOCK] = k;
}

/* Whether most of a cell's lower nodes lie on a part. */
static bool lies_on_part(const granular_state *s, const standing *on, uint32_t cell)
{
  uint32_t held = 0, half = s->grid.corner_count / 2;
  for (uint32_t n = 0; n < half; n++) held += on->on_part[s->cells[cell].node[n]]; /* the last axis changes last */
  return 2 * held > half;
}

/* Packed cells above one that stands, or on a part. */
static void find_standing(const granular_state *s, standing *on, uint32_t block)
{
  uint32_t number[GEO_GRID_BLOCK], below = s->grid.near[block][26 - on->next];
  number_cells(s, block, number);
  for (uint32_t column = 0; column < on->columns; column++) {
    bool stands = below != GEO_GRID_NONE && on->top[below * COLUMNS + column];
    for (uint32_t at = column; at < GEO_GRID_BLOCK; at += on->columns) {
      uint32_t k = number[at];
      stands = k != UINT32_MAX && s->cells[k].gap <= 0 && (stands || lies_on_part(s, on, k));
      if (stands) on->stands[k] = 1;
    }
    on->top[block * COLUMNS + column] = stands;
  }
}

static double mass_of(const granular_state *s, uint32_t cell)
{
  const double *corner = s->corners + (size_t)cell * s->grid.corner_count * GRANULAR_SUMS;
  double mass = 0;
  for (uint32_t n = 0; n < s->grid.corner_count; n++) mass += corner[n * GRANULAR_SUMS];
  return mass;
}

static void press(granular_state *s, standing *on, uint32_t block, double step)
{
  uint32_t number[GEO_GRID_BLOCK], above = s->grid.near[block][on->next];
  const double scale = -s->gravity[on->up] * s->domain.h * tensor_pressure_scale(s->d) * step;
  number_cells(s, block, number);
  for (uint32_t column = 0; column < on->columns; column++) {
    double *floor = &on->mass[block * COLUMNS + column];
    *floor = above == GEO_GRID_NONE ? 0 : on->mass[above * COLUMNS + column];
    for (uint32_t at = GEO_GRID_BLOCK - on->columns + column; at < GEO_GRID_BLOCK; at -= on->columns) { /* ends below 0 */
      uint32_t k = number[at];
      if (k == UINT32_MAX || !on->stands[k]) {
        *floor = 0;
        continue;
      }
      double mass = mass_of(s, k);
      s->cells[k].r[0] = scale * (*floor + 0.5 * mass);
      *floor += mass;
    }
  }
}

scr_status granular_start_from_weight(granular_state *s, const granular_pass *pass, scr_error *error)
{
  const size_t blocks = s->grid.block_count;
  standing on = {.up = s->d - 1, .columns = s->d == 2 ? 8 : 16, .next = s->d == 2 ? 16 : 22};
  double across = 0;
  for (int i = 0; i < on.up; i++) across += s->gravity[i] * s->gravity[i];
  if (s->gravity[on.up] >= 0 || across > s->gravity[on.up] * s->gravity[on.up]) return SCR_OK;
  scr_status status = mem_allocate(&on.mass, blocks * COLUMNS + 1, sizeof *on.mass, "stresses", error);
  if (status == SCR_OK) status = mem_allocate(&on.top, blocks * COLUMNS + 1, sizeof *on.top, "stresses", error);
  if (status == SCR_OK) status = mem_allocate(&on.on_part, s->grid.cell_count + 1, sizeof *on.on_part, "stresses", error);
  if (status == SCR_OK) status = mem_allocate(&on.stands, s->cell_count + 1, sizeof *on.stands, "stresses", error);
  for (size_t k = 0; status == SCR_OK && k < s->contact_count; k++)
    if (s->contacts[k].normal[on.up] > 0.5) on.on_part[s->contacts[k].node] = 1;
  for (size_t b = 0; status == SCR_OK && b < blocks; b++) find_standing(s, &on, (uint32_t)b); /* blocks go up with their numbers */
  for (size_t b = blocks; status == SCR_OK && b-- > 0;) press(s, &on, (uint32_t)b, pass->step);
  mem_free(on.mass);
  mem_free(on.top);
  mem_free(on.on_part);
  mem_free(on.stands);
  return status;
}
