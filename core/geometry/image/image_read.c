/* From the bytes of a file to labels: which format, whether the header makes sense, unpacking, decoding. */
#include "geometry/image/image_read.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "geometry/image/image_header.h"

size_t image_type_size(image_type type)
{
  static const size_t sizes[IMAGE_TYPES] = {[IMAGE_U8] = 1,  [IMAGE_I8] = 1,  [IMAGE_U16] = 2, [IMAGE_I16] = 2, [IMAGE_U32] = 4,
                                            [IMAGE_I32] = 4, [IMAGE_U64] = 8, [IMAGE_I64] = 8, [IMAGE_F32] = 4, [IMAGE_F64] = 8};
  return sizes[type];
}

/* ── does the header make sense? ────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_counts(const image_header *header, size_t voxel_limit, scr_error *error)
{
  const double *n = header->count;
  double voxels = n[0] * n[1] * n[2];
  for (int a = 0; a < 3; a++)
    if (!(n[a] >= 1 && n[a] <= GEO_IMAGE_VOXEL_LIMIT && n[a] == floor(n[a])))
      return scr_fail(error, SCR_BAD_FILE, NULL, "the image has %g x %g x %g voxels; each must be a whole number from 1 on", n[0], n[1],
                      n[2]);
  if (voxels > (double)voxel_limit)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the image has %g x %g x %g = %.4g voxels; at most %zu are allowed: crop it, or make it coarser", n[0], n[1], n[2],
                    voxels, voxel_limit);
  if (!header->has_type) return scr_fail(error, SCR_BAD_FILE, NULL, "the image's header does not say what type its voxels are of");
  if (!header->has_order && image_type_size(header->type) > 1 && header->encoding != IMAGE_TEXT)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the image's header does not say which byte of a voxel is first: add \"endian: little\" or \"endian: big\"");
  return SCR_OK;
}

static scr_status check_steps(const image_header *header, scr_error *error)
{
  const double least = 1e-30, most = 1e9;
  double length[3];
  for (int a = 0; a < 3; a++) {
    length[a] = vec3_length(header->step[a]);
    if (!(length[a] >= least && length[a] * header->count[a] <= most))
      return scr_fail(
          error, SCR_BAD_FILE, NULL,
          "voxels are %g apart along axis %d, of which there are %g: the distance must be above 0, and the image at most %g long",
          length[a], a + 1, header->count[a], most);
  }
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3;
    double skew = fabs(vec3_dot(header->step[a], header->step[b])) / (length[a] * length[b]);
    if (skew > 1e-4)
      return scr_fail(error, SCR_BAD_FILE, NULL,
                      "axes %d and %d of the image are not at right angles (their cosine is %.3g): resample it on a rectangular grid",
                      a + 1, b + 1, skew);
  }
  if (!(vec3_length(header->origin) <= most))
    return scr_fail(error, SCR_BAD_FILE, NULL, "the image's origin is %g from 0; at most %g", vec3_length(header->origin), most);
  return SCR_OK;
}

/* ── one voxel ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static uint64_t bits_of(const unsigned char *at, size_t size, bool big_endian)
{
  uint64_t bits = 0;
  for (size_t k = 0; k < size; k++) bits = bits << 8 | at[big_endian ? k : size - 1 - k];
  return bits;
}

/* The value of a voxel; exact for whole numbers up to 2^53, and beyond that too large for a label in any case. */
static double value_of(const unsigned char *at, image_type type, bool big_endian)
{
  uint64_t bits = bits_of(at, image_type_size(type), big_endian);
  uint32_t low = (uint32_t)bits;
  float single;
  double value;
  switch (type) {
  case IMAGE_I8: return (int8_t)bits;
  case IMAGE_I16: return (int16_t)bits;
  case IMAGE_I32: return (int32_t)bits;
  case IMAGE_I64: return (double)(int64_t)bits;
  case IMAGE_F32: memcpy(&single, &low, sizeof single); return single;
  case IMAGE_F64: memcpy(&value, &bits, sizeof value); return value;
  case IMAGE_U8:
  case IMAGE_U16:
  case IMAGE_U32:
  case IMAGE_U64:
  case IMAGE_TYPES: break;
  }
  return (double)bits;
}

static scr_status take(geo_image *image, size_t v, double value, scr_error *error)
{
  if (value >= 0 && value <= UINT32_MAX && value == floor(value)) {
    image->label[v] = (uint32_t)value;
    return SCR_OK;
  }
  size_t row = image->count[0], layer = row * image->count[1];
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "voxel (%zu, %zu, %zu) is %.9g, which is not a label: labels are whole numbers from 0 to %u, one per grain. Grey images "
                  "have to be segmented first",
                  v % row, v / row % image->count[1], v / layer, value, UINT32_MAX);
}

/* ── all voxels ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status read_raw(const unsigned char *bytes, size_t size, const image_header *header, size_t voxels, geo_image *image,
                           scr_error *error)
{
  size_t each = image_type_size(header->type);
  if (size < voxels * each || (size > voxels * each && !header->from_end))
    return scr_fail(error, SCR_BAD_FILE, NULL, "%zu voxels of %zu bytes should follow the header, %zu bytes, but %zu do: %s", voxels, each,
                    voxels * each, size,
                    size < voxels * each ? "the file was cut off, or its sizes are wrong" : "its sizes or its type are wrong");
  bytes += size - voxels * each;
  for (size_t v = 0; v < voxels; v++) SCR_TRY(take(image, v, value_of(bytes + v * each, header->type, header->big_endian), error));
  return SCR_OK;
}

/* Unpacks to exactly as many bytes as the voxels have. */
static scr_status inflate_all(const unsigned char *bytes, size_t size, unsigned char *to, size_t wanted, scr_error *error)
{
  z_stream z = {0};
  size_t taken = 0, made = 0;
  int result = Z_OK;
  if (inflateInit2(&z, 15 + 32) != Z_OK) return scr_fail_memory(error, "unpacking an image", 1 << 16); /* 32: gzip or zlib, by the header */
  while (result == Z_OK) {
    unsigned char more = 0;
    size_t in = size - taken < 1 << 30 ? size - taken : 1 << 30, space = wanted - made < 1 << 30 ? wanted - made : 1 << 30;
    z.next_in = (unsigned char *)(uintptr_t)(bytes + taken);
    z.avail_in = (uInt)in;
    z.next_out = space ? to + made : &more;
    z.avail_out = space ? (uInt)space : 1;
    result = inflate(&z, Z_NO_FLUSH);
    taken += in - z.avail_in;
    made += (space ? space : 1) - z.avail_out;
    if (made > wanted) break;
  }
  const char *why = z.msg ? z.msg : "it was cut off";
  inflateEnd(&z);
  if (result == Z_STREAM_END && made == wanted) return SCR_OK;
  if (result == Z_MEM_ERROR) return scr_fail_memory(error, "unpacking an image", 1 << 16);
  if (made > wanted || result == Z_STREAM_END)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the compressed voxels unpack to %s than the %zu bytes that its sizes and type ask for",
                    made > wanted ? "more" : "fewer", wanted);
  return scr_fail(error, SCR_BAD_FILE, NULL, "the compressed voxels can't be unpacked after %zu bytes: %s", made, why);
}

static scr_status read_deflated(const unsigned char *bytes, size_t size, const image_header *header, size_t voxels, geo_image *image,
                                scr_error *error)
{
  size_t wanted = voxels * image_type_size(header->type);
  if ((double)wanted > 1100.0 * (double)size + 1000) /* deflate makes at most 1032 bytes of one */
    return scr_fail(error, SCR_BAD_FILE, NULL, "%zu compressed bytes can't hold %zu voxels: the file was cut off, or its sizes are wrong",
                    size, voxels);
  unsigned char *raw = mem_array(wanted, 1);
  if (!raw) return scr_fail_memory(error, "the voxels of an image", wanted);
  scr_status status = inflate_all(bytes, size, raw, wanted, error);
  if (status == SCR_OK) status = read_raw(raw, wanted, header, voxels, image, error);
  mem_free(raw);
  return status;
}

static scr_status read_text(mesh_text *text, size_t voxels, geo_image *image, scr_error *error)
{
  char quote[48];
  for (size_t v = 0; v < voxels; v++) {
    double value;
    mesh_word word = mesh_text_word(text);
    if (word.length == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the image ends after %zu of its %zu voxels", v, voxels);
    if (!mesh_word_number(text, word, &value))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the image has %s where a label should stand", text->line,
                      mesh_word_quote(word, quote));
    SCR_TRY(take(image, v, value, error));
  }
  mesh_word word = mesh_text_word(text);
  if (word.length)
    return scr_fail(error, SCR_BAD_FILE, NULL, "after %zu voxels, all that the image's sizes name, there is more: %s", voxels,
                    mesh_word_quote(word, quote));
  return SCR_OK;
}

static scr_status read_voxels(mesh_text *text, const image_header *header, geo_image *image, scr_error *error)
{
  size_t voxels = 1, left = (size_t)(text->end - text->at);
  for (int a = 0; a < 3; a++) {
    image->count[a] = (uint32_t)header->count[a];
    image->step[a] = header->step[a];
    voxels *= image->count[a];
  }
  image->origin = header->origin;
  if (header->encoding == IMAGE_TEXT && left < 2 * voxels - 1)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%zu bytes of text can't hold %zu voxels: the file was cut off, or its sizes are wrong",
                    left, voxels);
  if (header->encoding == IMAGE_RAW && left < voxels * image_type_size(header->type))
    return read_raw(text->at, left, header, voxels, image, error);
  SCR_TRY(mem_allocate(&image->label, voxels, sizeof *image->label, "the voxels of an image", error));
  switch (header->encoding) {
  case IMAGE_RAW: return read_raw(text->at, left, header, voxels, image, error);
  case IMAGE_DEFLATED: return read_deflated(text->at, left, header, voxels, image, error);
  case IMAGE_TEXT: break;
  }
  return read_text(text, voxels, image, error);
}

/* ── which format ───────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_nrrd(const unsigned char *bytes, size_t size)
{
  return size >= 9 && memcmp(bytes, "NRRD000", 7) == 0 && bytes[7] >= '1' && bytes[7] <= '5' && (bytes[8] == '\n' || bytes[8] == '\r');
}

static bool is_meta(const unsigned char *bytes, size_t size)
{
  static const char *const first[] = {"ObjectType", "NDims"};
  for (size_t k = 0; k < 2; k++) {
    size_t length = strlen(first[k]);
    if (size > length + 1 && memcmp(bytes, first[k], length) == 0 && (bytes[length] == ' ' || bytes[length] == '\t')) return true;
  }
  return false;
}

bool geo_image_is_known(const void *bytes, size_t size)
{
  return is_nrrd(bytes, size) || is_meta(bytes, size);
}

scr_status geo_image_read(const void *bytes, size_t size, size_t voxel_limit, geo_image *image, scr_error *error)
{
  image_header header = {.step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  mesh_text text = {.at = bytes, .end = (const unsigned char *)bytes + size, .line = 1};
  if (voxel_limit > GEO_IMAGE_VOXEL_LIMIT) voxel_limit = GEO_IMAGE_VOXEL_LIMIT;
  if (!geo_image_is_known(bytes, size))
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "%zu bytes are not a voxel image: a file in NRRD format (.nrrd) or a MetaImage with its voxels in it (.mha) is needed",
                    size);
  text.numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!text.numbers) return scr_fail_memory(error, "a locale to read numbers in", sizeof text);
  scr_status status = is_nrrd(bytes, size) ? image_read_nrrd(&text, &header, error) : image_read_meta(&text, &header, error);
  if (status == SCR_OK) status = check_counts(&header, voxel_limit, error);
  if (status == SCR_OK) status = check_steps(&header, error);
  if (status == SCR_OK) status = read_voxels(&text, &header, image, error);
  freelocale(text.numbers);
  if (status != SCR_OK) geo_image_clear(image);
  return status;
}
