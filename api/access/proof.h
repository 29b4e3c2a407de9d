/** How a server shows that it has a token before a client shows it the token: by HMAC-SHA-256 (RFC 2104) of a number that the client has
 *  just made up and of the address that the client has reached. The address keeps a server of somebody else from having ours answer for it.
 *  */
#ifndef SCREE_API_ACCESS_PROOF_H
#define SCREE_API_ACCESS_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { PROOF_NONCE_LEAST = 16, PROOF_NONCE_MOST = 64, PROOF_BYTES = 65, PROOF_ADDRESS_BYTES = 64 };

/** HMAC-SHA-256 with key `token` of "scree proof\n", nonce, "\n", address, as hexadecimal digits. @param proof [PROOF_BYTES] */
void proof_make(const char *token, const char *nonce, const char *address, char *proof);

/** "127.0.0.1:8080", "[::1]:8080"; an IPv4 address in IPv6's clothes counts as the former. False for others.
 *  @param text [PROOF_ADDRESS_BYTES] */
bool proof_address(const struct sockaddr *address, char *text);

#endif
