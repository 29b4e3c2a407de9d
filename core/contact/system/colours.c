/* Contacts in colours, by one word of taken colours for each block. */
#include "contact/system/colours.h"

#include "base/memory.h"

static unsigned least_free(uint64_t taken)
{
  return taken == UINT64_MAX ? CONTACT_COLOUR_MAX : (unsigned)__builtin_ctzll(~taken);
}

scr_status contact_colours_create(const contact_system *system, contact_colours *colours, scr_error *error)
{
  const contact_problem *p = system->problem;
  size_t n = p->contact_count, place[CONTACT_COLOUR_MAX + 1] = {0};
  *colours = (contact_colours){.order = mem_array(n, sizeof *colours->order)};
  uint64_t *taken = mem_array(p->block_count, sizeof *taken);
  uint8_t *colour = mem_array(n, sizeof *colour);
  bool memory = colours->order && taken && colour;
  for (size_t i = 0; memory && i < n; ++i) {
    uint64_t around = 0;
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) around |= taken[p->block[k]];
    colour[i] = (uint8_t)least_free(around);
    colours->first[colour[i] + 1u]++;
    if (colour[i] == CONTACT_COLOUR_MAX) continue;
    if (colour[i] >= colours->count) colours->count = colour[i] + 1u;
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) taken[p->block[k]] |= (uint64_t)1 << colour[i];
  }
  for (unsigned c = 0; c <= CONTACT_COLOUR_MAX; ++c) colours->first[c + 1] += colours->first[c];
  colours->serial = colours->first[CONTACT_COLOUR_MAX];
  for (size_t i = 0; memory && i < n; ++i) colours->order[colours->first[colour[i]] + place[colour[i]]++] = (uint32_t)i;
  mem_free(taken);
  mem_free(colour);
  if (memory) return SCR_OK;
  contact_colours_clear(colours);
  return scr_fail_memory(error, "the order of contacts", n * 5 + p->block_count * sizeof *taken);
}

void contact_colours_clear(contact_colours *colours)
{
  mem_free(colours->order);
  colours->order = NULL;
}
