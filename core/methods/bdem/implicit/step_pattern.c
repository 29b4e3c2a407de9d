/* Which blocks a step's matrix has, and how long that is kept: what orderings, aggregates and factors of the solvers follow from.
 *
 * A bond that breaks leaves its pair in the pattern: it is a contact candidate next, and later without use. The pattern serves on until
 * something new is joined or too much of it is unused. */
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/implicit/step_problem.h"

/* Share of a pattern's pairs that may be without use. */
static const double unused_share = 0.01;

static scr_status create_matrix(const bdem_body *body, la_block_matrix *matrix, scr_error *error)
{
  const bdem_contacts *contacts = body->contacts;
  size_t candidates = contacts ? contacts->pair_count : 0, unused_count_ = contacts ? contacts->unused_count : 0, at = body->bond_count,
         count = at + candidates + unused_count_;
  uint32_t(*pairs)[2] = mem_array(count, sizeof *pairs);
  if (!pairs) return scr_fail_memory(error, "an implicit step", count * sizeof *pairs);
  memcpy(pairs, body->ends, at * sizeof *pairs);
  for (size_t k = 0; k < candidates; ++k, ++at) {
    pairs[at][0] = contacts->pairs[k].i;
    pairs[at][1] = contacts->pairs[k].j;
  }
  if (unused_count_) memcpy(pairs + at, contacts->unused, unused_count_ * sizeof *pairs);
  scr_status status = la_block_matrix_create(body->sphere_count, (const uint32_t(*)[2])pairs, count, matrix, error);
  mem_free(pairs);
  return status;
}

/* Where the blocks of each bond are, and whose each block is. */
static scr_status place_bonds(bdem_step_problem *p, const bdem_body *body, scr_error *error)
{
  for (size_t k = 0; k < p->matrix.block_count; ++k) p->bond_of[k] = BDEM_NO_BOND;
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    p->slots[b][0] = p->matrix.diagonal[i];
    p->slots[b][1] = p->matrix.diagonal[j];
    p->slots[b][2] = la_block_matrix_slot(&p->matrix, i, j);
    p->slots[b][3] = la_block_matrix_slot(&p->matrix, j, i);
    if (p->bond_of[p->slots[b][2]] != BDEM_NO_BOND)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "bonds %u and %zu both join spheres %u and %u; one bond can join a pair",
                      p->bond_of[p->slots[b][2]], b, i, j);
    p->bond_of[p->slots[b][2]] = p->bond_of[p->slots[b][3]] = (uint32_t)b;
  }
  return SCR_OK;
}

scr_status bdem_step_pattern_create(bdem_step_problem *p, const bdem_body *body, scr_error *error)
{
  SCR_TRY(create_matrix(body, &p->matrix, error));
  SCR_TRY(mem_allocate(&p->bond_of, p->matrix.block_count, sizeof *p->bond_of, "an implicit step", error));
  p->bonds_placed = body->bond_count;
  return place_bonds(p, body, error);
}

/* Marks the block above the diagonal of a pair. @return false when the pattern lacks it */
static bool use(const la_block_matrix *matrix, uint32_t i, uint32_t j, unsigned char *used)
{
  size_t slot = la_block_matrix_slot(matrix, i < j ? i : j, i < j ? j : i);
  if (slot != SIZE_MAX) used[slot] = 1;
  return slot != SIZE_MAX;
}

static bool use_all(const la_block_matrix *matrix, const bdem_body *body, unsigned char *used)
{
  for (size_t b = 0; b < body->bond_count; ++b)
    if (!use(matrix, body->ends[b][0], body->ends[b][1], used)) return false;
  for (size_t k = 0; k < body->contacts->pair_count; ++k)
    if (!use(matrix, body->contacts->pairs[k].i, body->contacts->pairs[k].j, used)) return false;
  return true;
}

/* Writes the pairs of unmarked blocks to `unused`, row by row, when there is one. @return how many there are */
static size_t list_unused(const la_block_matrix *matrix, const unsigned char *used, uint32_t (*unused)[2])
{
  size_t count = 0;
  for (size_t row = 0; row < matrix->row_count; ++row)
    for (size_t k = matrix->diagonal[row] + 1; k < matrix->first[row + 1]; ++k) {
      if (used[k]) continue;
      if (unused) {
        unused[count][0] = (uint32_t)row;
        unused[count][1] = matrix->column[k];
      }
      ++count;
    }
  return count;
}

scr_status bdem_step_pattern_keep(bdem_step_problem *p, const bdem_body *body, bdem_contacts *contacts, bool *kept, scr_error *error)
{
  size_t upper = (p->matrix.block_count - p->matrix.row_count) / 2;
  unsigned char *used = mem_array(p->matrix.block_count, 1);
  *kept = p->factored = false; /* what it is joined by has changed */
  if (!used) return scr_fail_memory(error, "an implicit step", p->matrix.block_count);
  size_t unused = use_all(&p->matrix, body, used) ? list_unused(&p->matrix, used, NULL) : upper;
  scr_status status = SCR_OK;
  if ((double)unused <= unused_share * (double)upper && body->bond_count <= p->bonds_placed) {
    if (mem_grow(&contacts->unused, &contacts->unused_capacity, unused, sizeof *contacts->unused)) {
      contacts->unused_count = list_unused(&p->matrix, used, contacts->unused);
      status = place_bonds(p, body, error);
      *kept = status == SCR_OK;
    } else {
      status = scr_fail_memory(error, "an implicit step", unused * sizeof *contacts->unused);
    }
  }
  mem_free(used);
  return status;
}
