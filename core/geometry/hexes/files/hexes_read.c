/* Which format it is, and the mesh of what its reader found. */
#include "geometry/hexes/files/hexes_read.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/hexes/files/hexes_builder.h"

typedef enum hexes_format { HEXES_NONE, HEXES_ABAQUS, HEXES_VTK, HEXES_VTU, HEXES_GMSH } hexes_format;

static bool begins(const unsigned char *at, const unsigned char *end, const char *with)
{
  size_t length = strlen(with);
  return (size_t)(end - at) >= length && memcmp(at, with, length) == 0;
}

/* Whether a word of the first kilobyte says that an XML file is of VTK: other XML is none of ours. */
static bool names_vtk(const unsigned char *at, const unsigned char *end)
{
  for (const unsigned char *last = end - at > 1024 ? at + 1024 : end; at < last; at++)
    if (begins(at, end, "<VTKFile")) return true;
  return false;
}

static hexes_format format_of(const void *bytes, size_t size)
{
  const unsigned char *at = bytes, *end = at + size;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  if (begins(at, end, "# vtk DataFile")) return HEXES_VTK;
  if (begins(at, end, "$MeshFormat")) return HEXES_GMSH;
  if (begins(at, end, "<") && names_vtk(at, end)) return HEXES_VTU;
  if (begins(at, end, "**") || (begins(at, end, "*") && end - at > 1 && ((at[1] | 32) >= 'a' && (at[1] | 32) <= 'z'))) return HEXES_ABAQUS;
  return HEXES_NONE;
}

bool geo_hexes_recognise(const void *bytes, size_t size)
{
  return format_of(bytes, size) != HEXES_NONE;
}

/* Abaqus puts commas and equal signs where others have blanks. */
static unsigned char *with_blanks(const void *bytes, size_t size)
{
  unsigned char *copy = mem_array(size + 1, 1);
  if (!copy) return NULL;
  memcpy(copy, bytes, size);
  for (size_t k = 0; k < size; k++)
    if (copy[k] == ',' || copy[k] == '=') copy[k] = ' ';
  return copy;
}

static scr_status read_format(const void *bytes, size_t size, locale_t numbers, hexes_builder *builder, scr_error *error)
{
  hexes_format format = format_of(bytes, size);
  unsigned char *copy = format == HEXES_ABAQUS ? with_blanks(bytes, size) : NULL;
  mesh_text text = {.at = copy ? copy : bytes, .line = 1, .numbers = numbers};
  text.end = text.at + size;
  scr_status status;
  switch (format) {
  case HEXES_ABAQUS: status = copy ? hexes_read_abaqus(&text, builder, error) : scr_fail_memory(error, "a mesh file", size); break;
  case HEXES_VTK: status = hexes_read_vtk(&text, builder, error); break;
  case HEXES_VTU: status = hexes_read_vtu(bytes, size, numbers, builder, error); break;
  case HEXES_GMSH: status = hexes_read_gmsh(&text, builder, error); break;
  case HEXES_NONE:
  default:
    status = scr_fail(error, SCR_BAD_FILE, NULL, "this is not a mesh of hexahedra: Abaqus .inp, VTK legacy, VTU and Gmsh .msh are read");
  }
  mem_free(copy);
  return status;
}

scr_status geo_hexes_read(const void *bytes, size_t size, size_t limit, geo_hexes *mesh, scr_error *error)
{
  hexes_builder builder = {.limit = limit};
  *mesh = (geo_hexes){0};
  locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!numbers) return scr_fail_memory(error, "a locale", 0);
  scr_status status = read_format(bytes, size, numbers, &builder, error);
  if (status == SCR_OK) status = hexes_finish(&builder, mesh, error);
  freelocale(numbers);
  hexes_builder_clear(&builder);
  return status;
}
