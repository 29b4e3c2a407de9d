/** Tokens, and the files they are kept in (api/access/README.md). */
#ifndef SCREE_API_ACCESS_TOKEN_H
#define SCREE_API_ACCESS_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { TOKEN_BYTES = 64 }; /**< of a token with its zero byte, at most */

/** A new token. False when the system has no random bytes. */
bool token_make(char token[TOKEN_BYTES]);

/** 43 characters of 32 random bytes. @param text [44] */
bool token_random_text(char *text);

/** Whether a text is what token_make gives. */
bool token_valid(const char *text);

/** Compares in a time that does not tell where they differ. */
bool token_same(const char *a, const char *b);

/** Reads the first line of a file. False when it is not there or holds no token. */
bool token_read(const char *path, char token[TOKEN_BYTES]);

/** Writes a file that only its owner can read, whole or not at all, over one that may be there. */
scr_status token_write(const char *path, const char *token, scr_error *error);

/** As token_write, and keeps the file locked (flock) for as long as this program lives or until `*lock` is closed: whoever finds it
 *  unlocked knows that its server is gone. @param lock receives a descriptor */
scr_status token_publish(const char *path, const char *token, int *lock, scr_error *error);

/** Reads what token_publish wrote. False also when the program that wrote it is gone: what listens on its port now may be somebody else's.
 *  */
bool token_read_published(const char *path, char token[TOKEN_BYTES]);

/** Removes the files beside `path` whose programs are gone. */
void token_sweep(const char *path);

/** Where a server on this machine's loopback leaves its token for its user's programs, by its port.
 *  @return false when the user has no home or the path is too long */
bool token_server_path(unsigned port, char *path, size_t capacity);

/** Where a token comes from. */
typedef enum token_origin {
  TOKEN_NONE,
  TOKEN_GIVEN, /**< by the user, for whatever server is asked */
  TOKEN_FOUND  /**< where a server left it: to be shown to that server only, once it has proved that it has it (proof.h) */
} token_origin;

/** What a program of this user shows to a server: of $SCREE_TOKEN, of the file $SCREE_TOKEN_FILE, or of token_server_path when the server
 *  is on loopback. @param address "http://127.0.0.1:8080" */
token_origin token_for_server(const char *address, char token[TOKEN_BYTES]);

#endif
