/** Numbers of binary files, lowest byte first, on any machine. */
#ifndef SCREE_GEOMETRY_LITTLE_ENDIAN_H
#define SCREE_GEOMETRY_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t little_u16(const unsigned char *b)
{
  return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static inline uint32_t little_u32(const unsigned char *b)
{
  return little_u16(b) | little_u16(b + 2) << 16;
}

static inline double little_float(const unsigned char *b)
{
  uint32_t bits = little_u32(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
