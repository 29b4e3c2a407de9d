/* VTU: VTK's XML files of unstructured grids. Tags are taken one after the other; of one Piece four arrays are wanted:
 *
 *      <Points><DataArray type="Float64" NumberOfComponents="3" format="ascii"> 0 0 0 ... </DataArray></Points>
 *      <Cells> connectivity, offsets (where each cell ends), types </Cells>
 *      <AppendedData encoding="raw">_...                                   arrays of format "appended" lie `offset` bytes behind the _
 *
 *  Binary arrays (base64 in place, or appended) begin with their bytes' number, a UInt32 or, by header_type, a UInt64; little-endian. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/memory.h"
#include "geometry/hexes/files/hexes_builder.h"

enum { VTU_POINTS, VTU_CONNECTIVITY, VTU_OFFSETS, VTU_TYPES, VTU_ARRAYS };
static const char *const array_names[VTU_ARRAYS] = {"the coordinates of Points", "connectivity of Cells", "offsets of Cells",
                                                    "types of Cells"};

/* A piece of the file: bytes from `at` to `end`. */
typedef struct span {
  const unsigned char *at, *end;
} span;

/* An array as its tag tells it. */
typedef struct vtu_array {
  bool there, appended, ascii;
  int size; /* bytes of a number, negative for reals */
  uint64_t offset;
  span content;
  double *values; /* [count], once decoded */
  size_t count;
} vtu_array;

typedef struct vtu_file {
  span rest;
  locale_t numbers;
  hexes_builder *builder;
  bool wide_header, appended_base64;
  uint64_t point_count, cell_count;
  span appended;
  vtu_array arrays[VTU_ARRAYS];
  int pieces;
} vtu_file;

static scr_status refuse(const char *why, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the VTU file %s", why);
}

/* ── tags ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The next tag, without < and >; comments are passed over. @return whether there is one */
static bool next_tag(vtu_file *f, span *tag)
{
  while (f->rest.at < f->rest.end) {
    const unsigned char *open = memchr(f->rest.at, '<', (size_t)(f->rest.end - f->rest.at));
    if (!open) break;
    bool comment = f->rest.end - open > 4 && memcmp(open, "<!--", 4) == 0;
    const unsigned char *close =
        comment ? memmem(open, (size_t)(f->rest.end - open), "-->", 3) : memchr(open, '>', (size_t)(f->rest.end - open));
    if (!close) break;
    if (comment) close += 2;
    f->rest.at = close + 1;
    *tag = (span){open + 1, close};
    if (open[1] != '!' && open[1] != '?') return true;
  }
  f->rest.at = f->rest.end;
  return false;
}

static bool is_tag(span tag, const char *name)
{
  size_t length = strlen(name);
  if ((size_t)(tag.end - tag.at) < length || memcmp(tag.at, name, length) != 0) return false;
  return tag.at + length == tag.end || strchr(" \t\r\n/", tag.at[length]);
}

/* The value of an attribute: NAME="value" or NAME='value'. @param value [64], cut; "" where there is none */
static void attribute(span tag, const char *name, char value[64])
{
  size_t length = strlen(name);
  value[0] = '\0';
  for (const unsigned char *at = tag.at; at + length + 2 < tag.end; at++) {
    if (!strchr(" \t\r\n", at[0]) || memcmp(at + 1, name, length) != 0) continue;
    const unsigned char *equal = at + 1 + length;
    while (equal < tag.end && strchr(" \t\r\n", *equal)) equal++;
    if (equal >= tag.end || *equal != '=') continue;
    for (equal++; equal < tag.end && strchr(" \t\r\n", *equal);) equal++;
    if (equal >= tag.end || (*equal != '"' && *equal != '\'')) return;
    const unsigned char *close = memchr(equal + 1, *equal, (size_t)(tag.end - equal - 1));
    size_t count = close ? (size_t)(close - equal - 1) : 0;
    if (count > 63) count = 63;
    memcpy(value, equal + 1, count);
    value[count] = '\0';
    return;
  }
}

static bool is(span tag, const char *name, const char *wanted)
{
  char value[64];
  attribute(tag, name, value);
  return strcmp(value, wanted) == 0;
}

/* A whole number of an attribute. @return false: it is none */
static bool whole(span tag, const char *name, uint64_t *number)
{
  char value[64];
  attribute(tag, name, value);
  if (!value[0] || strspn(value, "0123456789") != strlen(value) || strlen(value) > 15) return false;
  *number = strtoull(value, NULL, 10);
  return true;
}

static int size_of(span tag)
{
  static const struct {
    const char *name;
    int size;
  } types[] = {{"Float32", -4}, {"Float64", -8}, {"Int8", 1},   {"UInt8", 1}, {"Int16", 2},
               {"UInt16", 2},   {"Int32", 4},    {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (is(tag, "type", types[k].name)) return types[k].size;
  return 0;
}

/* Which of the arrays a DataArray is; VTU_ARRAYS: none of ours. */
static int which(span tag, bool points, bool cells)
{
  if (points) return VTU_POINTS;
  if (!cells) return VTU_ARRAYS;
  return is(tag, "Name", "connectivity") ? VTU_CONNECTIVITY
         : is(tag, "Name", "offsets")    ? VTU_OFFSETS
         : is(tag, "Name", "types")      ? VTU_TYPES
                                         : VTU_ARRAYS;
}

static scr_status note_array(vtu_file *f, span tag, int kind, scr_error *error)
{
  vtu_array *array = &f->arrays[kind];
  if (array->there) return refuse("has an array twice", error);
  array->there = true;
  array->size = size_of(tag);
  array->ascii = is(tag, "format", "ascii");
  array->appended = is(tag, "format", "appended");
  if (array->size == 0) return refuse("has an array of a type that is not one of VTK's", error);
  if (kind == VTU_POINTS && !is(tag, "NumberOfComponents", "3")) return refuse("has points without 3 components", error);
  if (array->appended) return whole(tag, "offset", &array->offset) ? SCR_OK : refuse("has an appended array without an offset", error);
  if (!array->ascii && !is(tag, "format", "binary")) return refuse("has an array that is neither ascii nor binary nor appended", error);
  const unsigned char *close = memchr(f->rest.at, '<', (size_t)(f->rest.end - f->rest.at));
  array->content = (span){f->rest.at, close ? close : f->rest.end};
  return SCR_OK;
}

static scr_status note_head(vtu_file *f, span tag, scr_error *error)
{
  char compressor[64], order[64];
  if (!is(tag, "type", "UnstructuredGrid")) return refuse("is of no unstructured grid", error);
  attribute(tag, "compressor", compressor);
  if (compressor[0]) return refuse("is compressed: write it without a compressor", error);
  attribute(tag, "byte_order", order);
  if (order[0] && strcmp(order, "LittleEndian") != 0) return refuse("is big-endian: write it little-endian", error);
  f->wide_header = is(tag, "header_type", "UInt64");
  return SCR_OK;
}

static scr_status note_appended(vtu_file *f, span tag, scr_error *error)
{
  f->appended_base64 = is(tag, "encoding", "base64");
  if (!f->appended_base64 && !is(tag, "encoding", "raw")) return refuse("has appended data that are neither raw nor base64", error);
  const unsigned char *begin = memchr(f->rest.at, '_', (size_t)(f->rest.end - f->rest.at));
  if (!begin) return refuse("has appended data that do not begin with _", error);
  f->appended = (span){begin + 1, f->rest.end};
  return SCR_OK;
}

static scr_status take_tags(vtu_file *f, scr_error *error)
{
  span tag;
  bool points = false, cells = false, head = false;
  while (next_tag(f, &tag)) {
    if (is_tag(tag, "VTKFile")) {
      head = true;
      SCR_TRY(note_head(f, tag, error));
    } else if (is_tag(tag, "Piece")) {
      if (f->pieces++ > 0) return refuse("has several pieces: write one", error);
      if (!whole(tag, "NumberOfPoints", &f->point_count) || !whole(tag, "NumberOfCells", &f->cell_count))
        return refuse("does not say how many points and cells its piece has", error);
    } else if (is_tag(tag, "Points") || is_tag(tag, "/Points")) {
      points = tag.at[0] != '/';
    } else if (is_tag(tag, "Cells") || is_tag(tag, "/Cells")) {
      cells = tag.at[0] != '/';
    } else if (is_tag(tag, "DataArray") && which(tag, points, cells) < VTU_ARRAYS) {
      SCR_TRY(note_array(f, tag, which(tag, points, cells), error));
    } else if (is_tag(tag, "AppendedData")) {
      SCR_TRY(note_appended(f, tag, error));
      break;
    }
  }
  return head && f->pieces == 1 ? SCR_OK : refuse("has no VTKFile or no Piece; it is cut off", error);
}

/* ── values ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static uint64_t little_endian_bits(const unsigned char *bytes, size_t length)
{
  uint64_t bits = 0;
  for (size_t k = length; k-- > 0;) bits = bits << 8 | bytes[k];
  return bits;
}

static double little_endian(const unsigned char *bytes, int size)
{
  return hexes_number(little_endian_bits(bytes, (size_t)(size < 0 ? -size : size)), size);
}

/* Numbers of bytes that begin with their count. */
static scr_status take_counted(const vtu_file *f, vtu_array *array, const unsigned char *bytes, size_t size, scr_error *error)
{
  size_t head = f->wide_header ? 8 : 4, length = (size_t)(array->size < 0 ? -array->size : array->size);
  uint64_t said = size >= head ? little_endian_bits(bytes, head) : UINT64_MAX;
  if (size < head || said > size - head) return refuse("ends within an array; it is cut off", error);
  array->count = (size_t)said / length;
  SCR_TRY(mem_allocate(&array->values, array->count, sizeof *array->values, "an array of a mesh", error));
  for (size_t k = 0; k < array->count; k++) array->values[k] = little_endian(bytes + head + k * length, array->size);
  return SCR_OK;
}

static scr_status take_base64(const vtu_file *f, vtu_array *array, span text, scr_error *error)
{
  size_t most = (size_t)(text.end - text.at) / 4 * 3 + 3;
  unsigned char *bytes = mem_array(most, 1);
  if (!bytes) return scr_fail_memory(error, "an array of a mesh", most);
  scr_status status =
      take_counted(f, array, bytes, base64_decode((const char *)text.at, (size_t)(text.end - text.at), bytes, most, NULL), error);
  mem_free(bytes);
  return status;
}

static scr_status take_ascii(const vtu_file *f, vtu_array *array, scr_error *error)
{
  mesh_text text = {.at = array->content.at, .end = array->content.end, .line = 1, .numbers = f->numbers};
  size_t capacity = 0;
  char quote[48];
  for (mesh_word word = mesh_text_word(&text); word.length > 0; word = mesh_text_word(&text)) {
    if (!mem_grow(&array->values, &capacity, array->count + 1, sizeof *array->values))
      return scr_fail_memory(error, "an array of a mesh", array->count * sizeof *array->values);
    if (!mesh_word_number(&text, word, &array->values[array->count]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "the VTU file has %s where a number is wanted", mesh_word_quote(word, quote));
    array->count++;
  }
  return SCR_OK;
}

static scr_status take_values(const vtu_file *f, vtu_array *array, scr_error *error)
{
  if (array->ascii) return take_ascii(f, array, error);
  if (!array->appended) return take_base64(f, array, array->content, error);
  if (!f->appended.at || array->offset >= (uint64_t)(f->appended.end - f->appended.at))
    return refuse("has an array that is appended beyond its end; it is cut off", error);
  span text = {f->appended.at + array->offset, f->appended.end};
  if (f->appended_base64) return take_base64(f, array, text, error);
  return take_counted(f, array, text.at, (size_t)(text.end - text.at), error);
}

/* A number that counts: whole and not negative. */
static bool is_whole(double value)
{
  return value >= 0 && value <= 9007199254740992.0 && value == floor(value);
}

static scr_status add_cells(const vtu_file *f, scr_error *error)
{
  const vtu_array *of = f->arrays;
  size_t begin = 0;
  for (size_t k = 0; k < f->cell_count; k++) {
    uint64_t points[GEO_HEX_CORNERS] = {0};
    double end = of[VTU_OFFSETS].values[k], type = of[VTU_TYPES].values[k];
    if (!is_whole(end) || !is_whole(type) || end < (double)begin || end > (double)of[VTU_CONNECTIVITY].count)
      return scr_fail(error, SCR_BAD_FILE, NULL, "cell %zu of the VTU file, counted from 0, goes from %zu to %g of the %zu points of cells",
                      k, begin, end, of[VTU_CONNECTIVITY].count);
    size_t count = (size_t)end - begin;
    for (size_t a = 0; a < count && a < GEO_HEX_CORNERS; a++) {
      double point = of[VTU_CONNECTIVITY].values[begin + a];
      if (!is_whole(point)) return refuse("has a number of a point that is none", error);
      points[a] = (uint64_t)point;
    }
    SCR_TRY(hexes_add_vtk_cell(f->builder, (uint64_t)type, points, count, error));
    begin = (size_t)end;
  }
  return SCR_OK;
}

static scr_status add_all(vtu_file *f, scr_error *error)
{
  const uint64_t wanted[VTU_ARRAYS] = {3 * f->point_count, 0, f->cell_count, f->cell_count};
  for (int k = 0; k < VTU_ARRAYS; k++) {
    if (!f->arrays[k].there) return scr_fail(error, SCR_BAD_FILE, NULL, "the VTU file lacks %s", array_names[k]);
    SCR_TRY(take_values(f, &f->arrays[k], error));
    if (k == VTU_CONNECTIVITY || f->arrays[k].count == wanted[k]) continue;
    return scr_fail(error, SCR_BAD_FILE, NULL, "the VTU file has %zu numbers as %s; its piece says %llu", f->arrays[k].count,
                    array_names[k], (unsigned long long)wanted[k]);
  }
  for (uint64_t n = 0; n < f->point_count; n++) SCR_TRY(hexes_add_node(f->builder, n, f->arrays[VTU_POINTS].values + 3 * n, error));
  return add_cells(f, error);
}

scr_status hexes_read_vtu(const unsigned char *bytes, size_t size, locale_t numbers, hexes_builder *builder, scr_error *error)
{
  vtu_file f = {.rest = {bytes, bytes + size}, .numbers = numbers, .builder = builder};
  scr_status status = take_tags(&f, error);
  if (status == SCR_OK) status = add_all(&f, error);
  for (int k = 0; k < VTU_ARRAYS; k++) mem_free(f.arrays[k].values);
  return status;
}
