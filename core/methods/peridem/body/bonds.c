/* Rows of bonds: memory and removal. */
#include "methods/peridem/body/bonds.h"

#include <string.h>

#include "base/memory.h"

double pd_bonds_bytes(double node_count, double slot_count, bool weighted)
{
  return 8 * node_count + slot_count * (weighted ? 20 : 12);
}

scr_status pd_bonds_allocate(pd_bonds *bonds, size_t node_count, size_t slot_count, bool weighted, scr_error *error)
{
  *bonds = (pd_bonds){.node_count = node_count, .slot_count = slot_count};
  bonds->first = mem_array(node_count + 1, sizeof *bonds->first);
  bonds->count = mem_array(node_count, sizeof *bonds->count);
  bonds->other = mem_array(slot_count + PD_SPARE_SLOTS, sizeof *bonds->other);
  bonds->inverse_length = mem_array(slot_count + PD_SPARE_SLOTS, sizeof *bonds->inverse_length);
  if (weighted) bonds->weight = mem_array(slot_count + PD_SPARE_SLOTS, sizeof *bonds->weight);
  if (bonds->first && bonds->count && bonds->other && bonds->inverse_length && (!weighted || bonds->weight)) return SCR_OK;
  pd_bonds_clear(bonds);
  return scr_fail_memory(error, "the bonds of a grain", (size_t)pd_bonds_bytes((double)node_count, (double)slot_count, weighted));
}

scr_status pd_bonds_copy(pd_bonds *copy, const pd_bonds *bonds, scr_error *error)
{
  SCR_TRY(pd_bonds_allocate(copy, bonds->node_count, bonds->slot_count, bonds->weight != NULL, error));
  memcpy(copy->first, bonds->first, (bonds->node_count + 1) * sizeof *copy->first);
  memcpy(copy->count, bonds->count, bonds->node_count * sizeof *copy->count);
  memcpy(copy->other, bonds->other, bonds->slot_count * sizeof *copy->other);
  memcpy(copy->inverse_length, bonds->inverse_length, bonds->slot_count * sizeof *copy->inverse_length);
  if (bonds->weight) memcpy(copy->weight, bonds->weight, bonds->slot_count * sizeof *copy->weight);
  return SCR_OK;
}

void pd_bonds_clear(pd_bonds *bonds)
{
  mem_free(bonds->first);
  mem_free(bonds->count);
  mem_free(bonds->other);
  mem_free(bonds->inverse_length);
  mem_free(bonds->weight);
  *bonds = (pd_bonds){0};
}

void pd_bonds_remove(pd_bonds *bonds, uint32_t node, uint32_t slot)
{
  size_t tail = bonds->first[node] + --bonds->count[node] - slot;
  memmove(bonds->other + slot, bonds->other + slot + 1, tail * sizeof *bonds->other);
  memmove(bonds->inverse_length + slot, bonds->inverse_length + slot + 1, tail * sizeof *bonds->inverse_length);
  if (bonds->weight) memmove(bonds->weight + slot, bonds->weight + slot + 1, tail * sizeof *bonds->weight);
}
