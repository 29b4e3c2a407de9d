/* Putting bodies together: copies of meshes, the graph, colours, masses. */
#include "methods/fem/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/fields.h"

enum { LATE_FIELDS = 5, FIELDS = 19 }; /* late ones are counted by the graph, the colours and the batches */
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("rows of the graph", fem_system, row, block_count, 0),
    FIELD_ARRAY("masses", fem_system, mass, block_count, 0),
    FIELD_STARTS("colours", fem_system, colour_first, colour_count, 0),
    FIELD_STARTS("batches of colours", fem_system, colour_batch, colour_count, 0),
    FIELD_ARRAY("batches", fem_system, batch, batch_count, 0),
    FIELD_ROWS("nodes", fem_system, rest, node_count, 3, 0),
    FIELD_ARRAY("elements", fem_system, hex, hex_count, 0),
    FIELD_ARRAY("shapes of elements", fem_system, shape, hex_count, 0),
    FIELD_ARRAY("materials", fem_system, constitutive, body_count, 0),
    FIELD_ARRAY("densities", fem_system, density, body_count, 0),
    FIELD_ARRAY("moduli", fem_system, modulus, body_count, 0),
    FIELD_STARTS("nodes of bodies", fem_system, node_first, body_count, 0),
    FIELD_STARTS("elements of bodies", fem_system, hex_first, body_count, 0),
    FIELD_ARRAY("bodies of elements", fem_system, body_of_hex, hex_count, 0),
    FIELD_ARRAY("bodies of nodes", fem_system, body_of_node, node_count, 0),
    FIELD_STARTS("columns of the graph", fem_system, first, node_count, 0),
    FIELD_ARRAY("places in the graph", fem_system, slot, hex_count, 0),
    FIELD_ARRAY("masses of nodes", fem_system, node_mass, node_count, 0),
    FIELD_ARRAY("elements by colour", fem_system, colour_hex, hex_count, 0),
};

void fem_system_clear(fem_system *system)
{
  fields_free(fields, FIELDS, system);
  *system = (fem_system){0};
}

static void copy_bodies(fem_system *s, const fem_body *bodies)
{
  uint32_t node = 0, hex = 0;
  for (size_t b = 0; b < s->body_count; b++) {
    const geo_hexes *mesh = bodies[b].mesh;
    s->constitutive[b] = bodies[b].constitutive;
    s->density[b] = bodies[b].density;
    s->modulus[b] = bodies[b].constitutive.moduli.lambda + 2 * bodies[b].constitutive.moduli.mu;
    s->node_first[b] = node;
    s->hex_first[b] = hex;
    memcpy(s->rest + 3 * (size_t)node, mesh->node, mesh->node_count * sizeof *mesh->node);
    for (size_t n = 0; n < mesh->node_count; n++) s->body_of_node[node + n] = (uint32_t)b;
    for (size_t e = 0; e < mesh->hex_count; e++) {
      double corner[FEM_CORNERS][3];
      for (int a = 0; a < FEM_CORNERS; a++) {
        s->hex[hex + e][a] = node + mesh->hex[e][a];
        memcpy(corner[a], mesh->node[mesh->hex[e][a]], sizeof corner[a]);
      }
      fem_hex_prepare((const double(*)[3])corner, &s->shape[hex + e]);
      s->body_of_hex[hex + e] = (uint32_t)b;
    }
    node += (uint32_t)mesh->node_count;
    hex += (uint32_t)mesh->hex_count;
  }
  s->node_first[s->body_count] = node;
  s->hex_first[s->body_count] = hex;
}

/* ── the graph ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Elements of every node in compressed rows. */
typedef struct incidence {
  size_t *first;
  uint32_t *hex;
} incidence;

static bool list_incidence(const fem_system *s, incidence *at)
{
  at->first = mem_array(s->node_count + 2, sizeof *at->first);
  at->hex = mem_array(s->hex_count * FEM_CORNERS, sizeof *at->hex);
  if (!at->first || !at->hex) return false;
  for (size_t e = 0; e < s->hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++) at->first[s->hex[e][a] + 2]++;
  for (size_t n = 0; n < s->node_count; n++) at->first[n + 2] += at->first[n + 1];
  for (size_t e = 0; e < s->hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++) at->hex[at->first[s->hex[e][a] + 1]++] = (uint32_t)e;
  return true;
}

static int rising(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Neighbours of a node, each once and rising, into `list` of `capacity`. @return how many */
static size_t neighbours(const fem_system *s, const incidence *at, size_t node, uint32_t *mark, uint32_t *list)
{
  size_t count = 0;
  for (size_t k = at->first[node]; k < at->first[node + 1]; k++)
    for (int a = 0; a < FEM_CORNERS; a++) {
      uint32_t other = s->hex[at->hex[k]][a];
      if (mark[other] == node + 1) continue;
      mark[other] = (uint32_t)node + 1;
      list[count++] = other;
    }
  qsort(list, count, sizeof *list, rising);
  return count;
}

static uint32_t entry_of(const fem_system *s, uint32_t row, uint32_t column)
{
  size_t low = s->first[column], high = s->first[column + 1];
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (s->row[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

static bool build_graph(fem_system *s, const incidence *at, scr_error *error)
{
  size_t most = 0;
  for (size_t n = 0; n < s->node_count; n++) most = at->first[n + 1] - at->first[n] > most ? at->first[n + 1] - at->first[n] : most;
  uint32_t *mark = mem_array(s->node_count, sizeof *mark), *list = mem_array(most * FEM_CORNERS, sizeof *list);
  for (size_t n = 0; mark && list && n < s->node_count; n++) s->first[n + 1] = s->first[n] + neighbours(s, at, n, mark, list);
  s->block_count = s->first[s->node_count];
  bool memory = mark && list && fields_allocate(fields, 2, s, error) == SCR_OK;
  if (memory) memset(mark, 0, s->node_count * sizeof *mark);
  for (size_t n = 0; memory && n < s->node_count; n++) (void)neighbours(s, at, n, mark, s->row + s->first[n]);
  for (size_t e = 0; memory && e < s->hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++) s->slot[e][FEM_CORNERS * a + b] = entry_of(s, s->hex[e][a], s->hex[e][b]);
  mem_free(mark);
  mem_free(list);
  return memory;
}

/* ── colours ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Each element takes the first colour that no earlier neighbour has. */
static bool choose_colours(fem_system *s, const incidence *at, scr_error *error)
{
  uint32_t *colour = mem_array(s->hex_count, sizeof *colour); /* + 1; 0: none yet */
  size_t capacity = 64, *taken = mem_array(capacity, sizeof *taken);
  bool memory = colour && taken;
  for (size_t e = 0; memory && e < s->hex_count; e++) {
    for (int a = 0; a < FEM_CORNERS; a++)
      for (size_t k = at->first[s->hex[e][a]]; memory && k < at->first[s->hex[e][a] + 1]; k++) {
        uint32_t other = colour[at->hex[k]];
        memory = mem_grow(&taken, &capacity, (size_t)other + 2, sizeof *taken);
        if (memory && other) taken[other] = e + 1;
      }
    uint32_t choice = 1;
    while (memory && choice < capacity && taken[choice] == e + 1) choice++;
    if (memory) colour[e] = choice;
    if (choice > s->colour_count) s->colour_count = choice;
  }
  memory = memory && fields_allocate(fields + 2, 2, s, error) == SCR_OK;
  uint32_t put = 0;
  for (size_t c = 0; memory && c < s->colour_count; c++) {
    for (size_t e = 0; e < s->hex_count; e++)
      if (colour[e] == c + 1) s->colour_hex[put++] = (uint32_t)e;
    s->colour_first[c + 1] = put;
  }
  mem_free(colour);
  mem_free(taken);
  return memory;
}

/* ── batches ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const fem_constitutive *constitutive_of(const fem_system *s, uint32_t e)
{
  return &s->constitutive[s->body_of_hex[e]];
}

/* How many of the elements of a colour from `from` on are in one batch. */
static uint32_t batch_length(const fem_system *s, uint32_t from, uint32_t end)
{
  const fem_constitutive *first = constitutive_of(s, s->colour_hex[from]);
  uint32_t count = 1;
  for (; count < FEM_LANES && from + count < end; count++) {
    const fem_constitutive *next = constitutive_of(s, s->colour_hex[from + count]);
    if (next->law != first->law || next->formulation != first->formulation) break;
  }
  return count;
}

static void fill_batch(const fem_system *s, uint32_t from, uint32_t count, fem_batch *batch)
{
  const fem_hex *shape[FEM_LANES];
  const fem_constitutive *constitutive[FEM_LANES];
  for (uint32_t l = 0; l < FEM_LANES; l++) {
    uint32_t e = batch->hex[l] = s->colour_hex[from + (l < count ? l : count - 1)];
    shape[l] = &s->shape[e], constitutive[l] = constitutive_of(s, e);
  }
  fem_batch_prepare(shape, constitutive, count, batch);
}

/* @return whether there was memory */
static bool build_batches(fem_system *s, scr_error *error)
{
  for (size_t c = 0; c < s->colour_count; c++) {
    for (uint32_t k = s->colour_first[c]; k < s->colour_first[c + 1]; k += batch_length(s, k, s->colour_first[c + 1])) s->batch_count++;
    s->colour_batch[c + 1] = (uint32_t)s->batch_count;
  }
  if (fields_allocate(fields + 4, 1, s, error) != SCR_OK) return false;
  fem_batch *next = s->batch;
  for (size_t c = 0; c < s->colour_count; c++)
    for (uint32_t k = s->colour_first[c]; k < s->colour_first[c + 1]; k += next++->count)
      fill_batch(s, k, batch_length(s, k, s->colour_first[c + 1]), next);
  return true;
}

static void add_masses(fem_system *s)
{
  for (size_t e = 0; e < s->hex_count; e++) {
    double mass[FEM_CORNERS][FEM_CORNERS], density = s->density[s->body_of_hex[e]];
    fem_hex_mass(&s->shape[e], mass);
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++) {
        s->mass[s->slot[e][FEM_CORNERS * a + b]] += density * mass[a][b];
        s->node_mass[s->hex[e][a]] += density * mass[a][b];
      }
  }
  for (size_t n = 0; n < s->node_count; n++) s->total_mass += s->node_mass[n];
}

scr_status fem_system_create(const fem_body *bodies, size_t count, fem_system *system, scr_error *error)
{
  *system = (fem_system){.body_count = count};
  for (size_t b = 0; b < count; b++) {
    system->node_count += bodies[b].mesh->node_count;
    system->hex_count += bodies[b].mesh->hex_count;
  }
  if (system->node_count > UINT32_MAX / 32)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the bodies have %zu nodes; at most %u are allowed: use larger elements",
                    system->node_count, UINT32_MAX / 32);
  SCR_TRY(fields_allocate(fields + LATE_FIELDS, FIELDS - LATE_FIELDS, system, error));
  copy_bodies(system, bodies);
  incidence at = {0};
  bool memory =
      list_incidence(system, &at) && build_graph(system, &at, error) && choose_colours(system, &at, error) && build_batches(system, error);
  mem_free(at.first);
  mem_free(at.hex);
  if (!memory)
    return scr_fail_memory(error, "the elements",
                           system->hex_count * (sizeof *system->shape + sizeof *system->slot + sizeof *system->batch / FEM_LANES));
  add_masses(system);
  return SCR_OK;
}

scr_status fem_system_matrix(const fem_system *system, la_sparse *matrix, scr_error *error)
{
  size_t n = 3 * system->node_count, entries = 9 * system->block_count;
  *matrix = (la_sparse){.row_count = n, .column_count = n};
  matrix->first = mem_array(n + 1, sizeof *matrix->first);
  matrix->row = mem_array(entries, sizeof *matrix->row);
  matrix->value = mem_array(entries, sizeof *matrix->value);
  if (!matrix->first || !matrix->row || !matrix->value) {
    la_sparse_clear(matrix);
    return scr_fail_memory(error, "a sparse matrix", entries * (sizeof *matrix->row + sizeof *matrix->value));
  }
  for (size_t c = 0; c < system->node_count; c++)
    for (int j = 0; j < 3; j++) {
      size_t length = 3 * (system->first[c + 1] - system->first[c]);
      matrix->first[3 * c + (size_t)j + 1] = matrix->first[3 * c + (size_t)j] + length;
      for (size_t k = system->first[c]; k < system->first[c + 1]; k++)
        for (int i = 0; i < 3; i++) matrix->row[fem_matrix_slot(system, c, k, i, j)] = 3 * system->row[k] + (uint32_t)i;
    }
  return SCR_OK;
}
