/* Proofs that a server has a token. */
#include "api/access/proof.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

enum { block_bytes = 64, digest_bytes = 32 };

static void digest(const sha256 *hash, unsigned char bytes[digest_bytes])
{
  char text[SHA256_TEXT_BYTES];
  sha256_text(hash, text);
  for (size_t i = 0; i < digest_bytes; i++) {
    char pair[] = {text[2 * i], text[2 * i + 1], '\0'};
    bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
}

void proof_make(const char *token, const char *nonce, const char *address, char *proof)
{
  static const char purpose[] = "scree proof\n";
  unsigned char inner_pad[block_bytes], outer_pad[block_bytes], inner[digest_bytes];
  size_t length = strlen(token) < block_bytes ? strlen(token) : block_bytes; /* tokens are shorter */
  for (size_t i = 0; i < block_bytes; i++) {
    unsigned char key = i < length ? (unsigned char)token[i] : 0;
    inner_pad[i] = key ^ 0x36;
    outer_pad[i] = key ^ 0x5c;
  }
  sha256 hash;
  sha256_begin(&hash);
  sha256_add(&hash, inner_pad, sizeof inner_pad);
  sha256_add(&hash, purpose, sizeof purpose - 1);
  sha256_add(&hash, nonce, strlen(nonce));
  sha256_add(&hash, "\n", 1);
  sha256_add(&hash, address, strlen(address));
  digest(&hash, inner);
  sha256_begin(&hash);
  sha256_add(&hash, outer_pad, sizeof outer_pad);
  sha256_add(&hash, inner, sizeof inner);
  sha256_text(&hash, proof);
}

bool proof_address(const struct sockaddr *address, char *text)
{
  char host[INET6_ADDRSTRLEN];
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    if (!inet_ntop(AF_INET, &four->sin_addr, host, sizeof host)) return false;
    snprintf(text, PROOF_ADDRESS_BYTES, "%s:%u", host, ntohs(four->sin_port));
    return true;
  }
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
  if (address->sa_family != AF_INET6 || !inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host)) return false;
  bool mapped = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
  if (mapped) (void)inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], host, sizeof host);
  snprintf(text, PROOF_ADDRESS_BYTES, mapped ? "%s:%u" : "[%s]:%u", host, ntohs(six->sin6_port));
  return true;
}
