/* SHA-256 as FIPS 180-4 writes it down. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned bits)
{
  return x >> bits | x << (32 - bits);
}

static void take_block(uint32_t state[8], const unsigned char *block)
{
  uint32_t w[64], s[8];
  for (size_t t = 0; t < 16; t++)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  for (size_t t = 16; t < 64; t++) {
    uint32_t a = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3, b = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + a + w[t - 7] + b;
  }
  memcpy(s, state, sizeof s);
  for (size_t t = 0; t < 64; t++) {
    uint32_t sum = turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25), choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t first = s[7] + sum + choice + constants[t] + w[t];
    uint32_t other = turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + other + majority;
  }
  for (size_t i = 0; i < 8; i++) state[i] += s[i];
}

void sha256_begin(sha256 *self)
{
  *self = (sha256){
      .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
  };
}

void sha256_add(sha256 *self, const void *bytes, size_t size)
{
  const unsigned char *from = bytes;
  while (size > 0) {
    size_t used = self->bytes % sizeof self->block, take = sizeof self->block - used;
    if (take > size) take = size;
    memcpy(self->block + used, from, take);
    self->bytes += take;
    from += take;
    size -= take;
    if (used + take == sizeof self->block) take_block(self->state, self->block);
  }
}

void sha256_text(const sha256 *self, char *text)
{
  sha256 end = *self;
  static const unsigned char padding[64] = {0x80};
  unsigned char length[8];
  for (size_t i = 0; i < 8; i++) length[i] = (unsigned char)(self->bytes * 8 >> (56 - 8 * i));
  size_t used = end.bytes % 64;
  sha256_add(&end, padding, used < 56 ? 56 - used : 120 - used);
  sha256_add(&end, length, sizeof length);
  for (size_t i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", end.state[i]);
}
