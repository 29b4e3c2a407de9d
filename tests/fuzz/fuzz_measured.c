/* Fuzzes the reader of measured curves; what it reads is taken as a curve. */
#include <stdint.h>
#include <stdlib.h>

#include "server/study/measured/measured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  measured_table table;
  if (measured_read(data, size, NULL, &table, NULL) != SCR_OK) {
    if (table.values || table.columns) abort();
    return 0;
  }
  measured_choice choice = {.x = 0, .y = 1, .preload = size % 2 ? 1 : 0};
  measured_curve curve;
  if (table.column_count < 2 || table.row_count < 2) abort();
  if (measured_take(&table, &choice, &curve, NULL) == SCR_OK && curve.count < 2) abort();
  measured_curve_clear(&curve);
  measured_clear(&table);
  return 0;
}
