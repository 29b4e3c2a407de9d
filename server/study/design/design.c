/* Designs. Rows are counted with repetitions over seeds innermost; of a grid the last factor changes fastest.
 *
 *   Latin hypercube: factor k of row i takes a point drawn within cell p_k(i) of `runs` equal ones, p_k a permutation
 *   Sobol: point i of the sequence, shifted by a random number in each dimension (exclusive or), which keeps how evenly it fills; without
 *   a shift when the seed is 0, and without its first point then, which is the corner */
#include "server/study/design/design.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"
#include "server/study/design/sobol.h"

static uint64_t stream_of(const study_document *document, size_t number)
{
  uint64_t state = document->design.seed;
  uint64_t first = random_bits(&state);
  state = first ^ (0x632be59bd9b4e019u * (number + 1));
  (void)random_bits(&state);
  return state;
}

static size_t base_rows(const study_document *document)
{
  size_t count = 1;
  if (document->design.kind == DESIGN_ROWS) return json_array_size(document->design.rows);
  if (document->design.kind != DESIGN_GRID) return document->design.runs;
  for (size_t i = 0; i < document->factor_count && count <= STUDY_ROW_LIMIT; i++)
    if (document->factors[i].kind != FACTOR_SEEDS) count *= factor_levels(&document->factors[i]);
  return count;
}

static size_t count_repetitions(const study_document *document)
{
  size_t count = 1;
  for (size_t i = 0; i < document->factor_count && count <= STUDY_ROW_LIMIT; i++)
    if (document->factors[i].kind == FACTOR_SEEDS) count *= document->factors[i].steps;
  return count;
}

static void shuffle(uint32_t *cells, size_t count, uint64_t state)
{
  for (size_t i = 0; i < count; i++) cells[i] = (uint32_t)i;
  for (size_t i = count; i > 1; i--) {
    size_t other = (size_t)(random_uniform(&state) * (double)i);
    uint32_t kept = cells[i - 1];
    cells[i - 1] = cells[other];
    cells[other] = kept;
  }
}

/* The first points of a calibration, those of its start, for whoever checks before it runs. */
static scr_status start_rows(const study_document *document, design_rows *out)
{
  const study_calibration *calibration = document->design.calibration;
  out->repetitions = calibration_rows_each(calibration);
  out->count = calibration->options.start_points * out->repetitions;
  return SCR_OK;
}

static json_t *start_row(const design_rows *self, size_t index)
{
  const study_calibration *calibration = self->document->design.calibration;
  const calibration_about about = study_calibration_about(self->document);
  double point[OPTIMISER_UNKNOWNS];
  for (size_t i = 0; i < calibration->unknown_count; i++) {
    const optimiser_unknown *of = &calibration->unknowns[i];
    double z = (double)sobol_fraction((uint32_t)(index / self->repetitions) + 1, (unsigned)i) * 0x1p-32;
    point[i] = of->logarithmic ? of->low * pow(of->high / of->low, z) : of->low + z * (of->high - of->low);
  }
  return calibration_row(calibration, &about, point, index % self->repetitions);
}

scr_status design_rows_make(const study_document *document, design_rows *out, scr_problems *problems)
{
  size_t rows = base_rows(document), repetitions = count_repetitions(document);
  *out = (design_rows){.document = document, .repetitions = repetitions};
  if (document->design.kind == DESIGN_CALIBRATE) return start_rows(document, out);
  if (rows > STUDY_ROW_LIMIT || repetitions > STUDY_ROW_LIMIT / (rows ? rows : 1)) {
    (void)scr_problems_add(problems, "/design", NULL, "at most 20000 rows",
                           "the design has more than the %d rows a study may have: take fewer values, steps, runs or seeds",
                           STUDY_ROW_LIMIT);
    return SCR_BAD_SCENE;
  }
  out->count = rows * repetitions;
  if (document->design.kind != DESIGN_LATIN_HYPERCUBE) return SCR_OK;
  out->permutation = calloc(document->factor_count * document->design.runs + 1, sizeof *out->permutation);
  if (!out->permutation) return SCR_NO_MEMORY;
  for (size_t k = 0; k < document->factor_count; k++)
    shuffle(out->permutation + k * document->design.runs, document->design.runs, stream_of(document, k));
  return SCR_OK;
}

void design_rows_clear(design_rows *self)
{
  free(self->permutation);
  *self = (design_rows){0};
}

/* The number drawn for row `row` of factor `number`, in (0, 1). */
static double drawn(const design_rows *self, size_t row, size_t number, unsigned dimension)
{
  const study_design *design = &self->document->design;
  uint64_t state = stream_of(self->document, number + STUDY_FACTOR_LIMIT);
  if (design->kind == DESIGN_SOBOL) {
    uint32_t shift = design->seed ? (uint32_t)(random_bits(&state) >> 32) : 0;
    uint32_t fraction = sobol_fraction((uint32_t)(row + (design->seed ? 0 : 1)), dimension) ^ shift;
    return design->seed ? ((double)fraction + 0.5) * 0x1p-32 : (double)fraction * 0x1p-32;
  }
  state ^= 0xd1342543de82ef95u * (row + 1);
  (void)random_bits(&state);
  double within = random_uniform(&state), cell = (double)self->permutation[number * design->runs + row];
  return (cell + (within > 0 ? within : 0.5)) / (double)design->runs;
}

static json_t *value_in_row(const design_rows *self, size_t row, size_t number, unsigned dimension)
{
  const study_document *document = self->document;
  const factor *f = &document->factors[number];
  if (document->design.kind == DESIGN_ROWS) return json_incref(json_object_get(json_array_get(document->design.rows, row), f->name));
  if (document->design.kind != DESIGN_GRID) return factor_quantile(f, drawn(self, row, number, dimension));
  size_t below = 1; /* rows until this factor changes */
  for (size_t k = number + 1; k < document->factor_count; k++)
    if (document->factors[k].kind != FACTOR_SEEDS) below *= factor_levels(&document->factors[k]);
  return factor_level(f, row / below % factor_levels(f));
}

json_t *design_row(const design_rows *self, size_t index)
{
  const study_document *document = self->document;
  if (document->design.kind == DESIGN_CALIBRATE) return start_row(self, index);
  size_t row = index / self->repetitions, repetition = index % self->repetitions;
  unsigned dimension = 0;
  json_t *made = json_object();
  for (size_t k = document->factor_count; made && k-- > 0;) {
    const factor *f = &document->factors[k];
    if (f->kind != FACTOR_SEEDS) continue;
    json_object_set_new(made, f->name, factor_level(f, repetition % f->steps));
    repetition /= f->steps;
  }
  for (size_t k = 0; made && k < document->factor_count; k++)
    if (document->factors[k].kind != FACTOR_SEEDS)
      json_object_set_new(made, document->factors[k].name, value_in_row(self, row, k, dimension++));
  if (made && json_object_size(made) == document->factor_count) return made;
  json_decref(made);
  return NULL;
}
