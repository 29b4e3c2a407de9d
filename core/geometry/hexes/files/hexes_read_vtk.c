/* VTK's legacy files: a header of four lines, then POINTS, CELLS, CELL_TYPES of an unstructured grid, as words or as big-endian bytes.
 *
 *      CELLS 1 9                     number of cells, of numbers behind: 8 0 1 2 3 4 5 6 7             up to version 4.2
 *      CELLS 2 8                     OFFSETS vtktypeint64 0 8, CONNECTIVITY vtktypeint64 0 1 ... 7     from version 5 on; one offset more
 *      than cells CELL_TYPES 1                  12
 *
 *  What belongs to points and cells (POINT_DATA, CELL_DATA) comes behind all this and is not read. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/hexes/files/hexes_builder.h"

/* A file being read. */
typedef struct vtk_file {
  mesh_text *text;
  hexes_builder *builder;
  bool binary;
  uint64_t *numbers, *offsets; /* of CELLS; offsets NULL: each cell begins with its count */
  size_t number_count, cell_count;
  bool cells, points;
} vtk_file;

/* Bytes of a type, negative for reals; 0: unknown. */
static int size_of(mesh_word type)
{
  static const struct {
    const char *name;
    int size;
  } types[] = {{"float", -4},         {"double", -8},      {"int", 4},          {"unsigned_int", 4}, {"long", 8},
               {"unsigned_long", 8},  {"vtktypeint64", 8}, {"vtktypeint32", 4}, {"vtkIdType", 4},    {"short", 2},
               {"unsigned_short", 2}, {"char", 1},         {"unsigned_char", 1}};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (mesh_word_is(type, types[k].name)) return types[k].size;
  return 0;
}

static double big_endian(const unsigned char *bytes, int size)
{
  uint64_t bits = 0;
  int length = size < 0 ? -size : size;
  for (int k = 0; k < length; k++) bits = bits << 8 | bytes[k];
  return hexes_number(bits, size);
}

/* Begins an array's values: binary ones behind the end of the line. @return SCR_BAD_FILE where they can't all be there */
static scr_status begin_values(const vtk_file *f, uint64_t count, int size, scr_error *error)
{
  uint64_t bytes = (uint64_t)(size < 0 ? -size : size);
  if (size == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the type of the numbers is not one of VTK's", f->text->line);
  if (f->binary) mesh_text_next_line(f->text);
  uint64_t left = (uint64_t)(f->text->end - f->text->at);
  if (count <= (f->binary ? left / bytes : (left + 1) / 2)) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file is too short for %llu numbers; it is cut off", f->text->line,
                  (unsigned long long)count);
}

static scr_status take_value(const vtk_file *f, int size, double *value, scr_error *error)
{
  if (!f->binary) return hexes_take_number(f->text, "a number", value, error);
  *value = big_endian(f->text->at, size);
  f->text->at += size < 0 ? -size : size;
  return SCR_OK;
}

static scr_status take_whole(const vtk_file *f, int size, uint64_t *value, scr_error *error)
{
  double number;
  SCR_TRY(take_value(f, size, &number, error));
  if (!(number >= 0 && number <= 9007199254740992.0) || number != floor(number))
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %g where a whole number is wanted", f->text->line, number);
  *value = (uint64_t)number;
  return SCR_OK;
}

/* [count] whole numbers, to be freed. */
static scr_status take_list(const vtk_file *f, uint64_t count, int size, uint64_t **list, scr_error *error)
{
  if (count > 9 * (uint64_t)f->builder->limit)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %llu numbers are more than a mesh may have: use a coarser one", f->text->line,
                    (unsigned long long)count);
  SCR_TRY(begin_values(f, count, size, error));
  *list = mem_array((size_t)count, sizeof **list);
  if (!*list) return scr_fail_memory(error, "the cells of a mesh", (size_t)count * sizeof **list);
  for (uint64_t k = 0; k < count; k++) SCR_TRY(take_whole(f, size, &(*list)[k], error));
  return SCR_OK;
}

static scr_status take_points(vtk_file *f, scr_error *error)
{
  uint64_t count;
  SCR_TRY(hexes_take_whole(f->text, "the number of points", &count, error));
  int size = size_of(mesh_text_word_in_line(f->text));
  SCR_TRY(hexes_check_count(f->builder, f->text, count, "points", error));
  SCR_TRY(begin_values(f, 3 * count, size, error));
  for (uint64_t k = 0; k < count; k++) {
    double place[3];
    for (int i = 0; i < 3; i++) SCR_TRY(take_value(f, size, &place[i], error));
    SCR_TRY(hexes_add_node(f->builder, k, place, error));
  }
  f->points = true;
  return SCR_OK;
}

/* A line "NAME TYPE" behind CELLS. */
static scr_status take_array_head(const vtk_file *f, const char *name, int *size, scr_error *error)
{
  mesh_word word = mesh_text_word(f->text);
  if (!mesh_word_is(word, name)) return hexes_bad_word(f->text, word, name, error);
  *size = size_of(mesh_text_word_in_line(f->text));
  return SCR_OK;
}

static scr_status take_cells(vtk_file *f, scr_error *error)
{
  uint64_t first, second;
  int size = 0;
  if (f->cells) return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: CELLS for the second time", f->text->line);
  f->cells = true;
  SCR_TRY(hexes_take_whole(f->text, "the number of cells", &first, error));
  SCR_TRY(hexes_take_whole(f->text, "the number of numbers", &second, error));
  f->number_count = (size_t)second;
  f->cell_count = (size_t)first;
  mesh_text probe = *f->text;
  if (!mesh_word_is(mesh_text_word(&probe), "OFFSETS")) return take_list(f, second, 4, &f->numbers, error);
  if (first == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: there are no offsets of cells", f->text->line);
  f->cell_count = (size_t)first - 1;
  SCR_TRY(take_array_head(f, "OFFSETS", &size, error));
  SCR_TRY(take_list(f, first, size, &f->offsets, error));
  SCR_TRY(take_array_head(f, "CONNECTIVITY", &size, error));
  return take_list(f, second, size, &f->numbers, error);
}

/* Types, and with them the cells. */
static scr_status take_types(vtk_file *f, scr_error *error)
{
  uint64_t count, *types = NULL;
  if (!f->cells || !f->points) return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: CELL_TYPES before POINTS and CELLS", f->text->line);
  SCR_TRY(hexes_take_whole(f->text, "the number of cells", &count, error));
  if (count != f->cell_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %llu types for %zu cells", f->text->line, (unsigned long long)count,
                    f->cell_count);
  scr_status status = take_list(f, count, 4, &types, error);
  size_t at = 0;
  for (size_t k = 0; k < f->cell_count && status == SCR_OK; k++) {
    uint64_t begin = f->offsets ? f->offsets[k] : at + 1, end = f->offsets             ? f->offsets[k + 1]
                                                                : at < f->number_count ? begin + f->numbers[at]
                                                                                       : begin;
    if (begin > end || end > f->number_count || at >= f->number_count + (f->offsets != NULL))
      status = scr_fail(error, SCR_BAD_FILE, NULL, "cell %zu, counted from 0, goes beyond the list of points of cells", k);
    else
      status = hexes_add_vtk_cell(f->builder, types[k], f->numbers + begin, (size_t)(end - begin), error);
    at = f->offsets ? 0 : (size_t)end;
  }
  mem_free(types);
  return status;
}

/* FIELD NAME N, then arrays "NAME components tuples type" with their values: passed over. */
static scr_status skip_field(const vtk_file *f, scr_error *error)
{
  uint64_t arrays, components, tuples;
  double unused;
  (void)mesh_text_word(f->text);
  SCR_TRY(hexes_take_whole(f->text, "the number of arrays", &arrays, error));
  SCR_TRY(hexes_check_count(f->builder, f->text, arrays, "arrays", error));
  for (uint64_t k = 0; k < arrays; k++) {
    (void)mesh_text_word(f->text);
    SCR_TRY(hexes_take_whole(f->text, "the number of components", &components, error));
    SCR_TRY(hexes_take_whole(f->text, "the number of tuples", &tuples, error));
    SCR_TRY(hexes_check_count(f->builder, f->text, components, "components", error));
    SCR_TRY(hexes_check_count(f->builder, f->text, tuples, "tuples", error));
    int size = size_of(mesh_text_word_in_line(f->text));
    SCR_TRY(begin_values(f, components * tuples, size, error));
    for (uint64_t v = 0; v < components * tuples; v++) SCR_TRY(take_value(f, size, &unused, error));
  }
  return SCR_OK;
}

/* METADATA ends at an empty line. */
static void skip_metadata(mesh_text *text)
{
  do mesh_text_next_line(text);
  while (text->at < text->end && mesh_text_word_in_line(text).length > 0);
}

static scr_status take_header(vtk_file *f, scr_error *error)
{
  mesh_text_next_line(f->text);
  mesh_text_next_line(f->text);
  mesh_word word = mesh_text_word(f->text);
  f->binary = mesh_word_is(word, "BINARY");
  if (!f->binary && !mesh_word_is(word, "ASCII")) return hexes_bad_word(f->text, word, "ASCII or BINARY", error);
  word = mesh_text_word(f->text);
  if (!mesh_word_is(word, "DATASET")) return hexes_bad_word(f->text, word, "DATASET", error);
  word = mesh_text_word(f->text);
  return mesh_word_is(word, "UNSTRUCTURED_GRID") ? SCR_OK : hexes_bad_word(f->text, word, "UNSTRUCTURED_GRID", error);
}

static scr_status take_sections(vtk_file *f, scr_error *error)
{
  SCR_TRY(take_header(f, error));
  for (mesh_word word = mesh_text_word(f->text); word.length > 0; word = mesh_text_word(f->text)) {
    if (mesh_word_is(word, "POINTS") && !f->points) {
      SCR_TRY(take_points(f, error));
    } else if (mesh_word_is(word, "CELLS")) {
      SCR_TRY(take_cells(f, error));
    } else if (mesh_word_is(word, "CELL_TYPES")) {
      return take_types(f, error);
    } else if (mesh_word_is(word, "FIELD")) {
      SCR_TRY(skip_field(f, error));
    } else if (mesh_word_is(word, "METADATA")) {
      skip_metadata(f->text);
    } else {
      return hexes_bad_word(f->text, word, "POINTS, CELLS or CELL_TYPES", error);
    }
  }
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file ends before CELL_TYPES; it is cut off", f->text->line);
}

scr_status hexes_read_vtk(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  vtk_file f = {.text = text, .builder = builder};
  scr_status status = take_sections(&f, error);
  mem_free(f.numbers);
  mem_free(f.offsets);
  return status;
}
