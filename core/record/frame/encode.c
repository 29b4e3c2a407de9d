/* The numbers of a frame: checked, ranged, quantised or rounded. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "record/frame/parts.h"

/* Ranges beyond this would overflow in low + (high - low) * q / 65535. */
static const double range_limit = 1e300;
static const double steps_of_u16 = 65535.0;

static scr_status find_range(frame_column from, double *low, double *high, const scr_field *field, const scr_drawable *drawable,
                             scr_error *error)
{
  double least = from.count ? from.values[0] : 0.0, most = least;
  for (uint32_t i = 0; i < from.count; i++) {
    double value = from.values[i * from.stride];
    /* Written so that a NaN is caught too. */
    if (!(fabs(value) <= DBL_MAX))
      return scr_fail(error, SCR_DIVERGED, NULL, "%s of element %u of '%s' is %g: the run lost its state; use a smaller time step",
                      field->name, i, drawable->name, value);
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  double limit = field->encoding == SCR_ENCODING_FLOAT32 ? (double)FLT_MAX : range_limit;
  if (fmax(fabs(least), fabs(most)) > limit)
    return scr_fail(error, SCR_DIVERGED, NULL, "%s of '%s' reaches %g, beyond the %g that a frame can hold: the run lost its state",
                    field->name, drawable->name, fabs(least) > fabs(most) ? least : most, limit);
  *low = least;
  *high = most;
  return SCR_OK;
}

/* q = round((v - low) / (high - low) * 65535): the value read back is off by at most half a step, (high - low) / 131070. */
static void quantise(unsigned char *data, frame_column from, uint32_t component, uint32_t components, double low, double high)
{
  double range = high - low;
  for (uint32_t i = 0; i < from.count; i++) {
    uint16_t q = range > 0.0 ? (uint16_t)lround((from.values[i * from.stride] - low) / range * steps_of_u16) : 0;
    memcpy(data + ((size_t)i * components + component) * sizeof q, &q, sizeof q);
  }
}

static void store_float(unsigned char *data, frame_column from, uint32_t component, uint32_t components)
{
  for (uint32_t i = 0; i < from.count; i++) {
    float v = (float)from.values[i * from.stride];
    memcpy(data + ((size_t)i * components + component) * sizeof v, &v, sizeof v);
  }
}

/* Encodes the columns of a field behind the header at `at`, and their ranges into it. */
scr_status frame_store(unsigned char *at, const frame_column *columns, const scr_field *field, const scr_drawable *of, scr_error *error)
{
  scr_array_header header;
  memcpy(&header, at, sizeof header);
  for (uint32_t c = 0; c < field->components; c++) {
    double low = 0, high = 0;
    SCR_TRY(find_range(columns[c], &low, &high, field, of, error));
    uint32_t place = field->components > 3 ? 0 : c;
    header.low[place] = c > place && header.low[place] < low ? header.low[place] : low;
    header.high[place] = c > place && header.high[place] > high ? header.high[place] : high;
  }
  for (uint32_t c = 0; c < field->components; c++) {
    if (field->encoding == SCR_ENCODING_UINT16)
      quantise(at + sizeof header, columns[c], c, field->components, header.low[c], header.high[c]);
    else
      store_float(at + sizeof header, columns[c], c, field->components);
  }
  memcpy(at, &header, sizeof header);
  return SCR_OK;
}
