/** Who asks: whether a request shows a token that is good, and whose it is.
 *
 *  Threads: any. */
#ifndef SCREE_API_ACCESS_ACCESS_H
#define SCREE_API_ACCESS_ACCESS_H

#include <stdint.h>

#include "api/access/sessions.h"
#include "api/access/token.h"

typedef struct access_control access_control;

/** What somebody may do; each may do all that the ones before may. Only the first and the last occur so far. */
typedef enum access_role { ACCESS_NOBODY, ACCESS_VIEWER, ACCESS_MEMBER, ACCESS_OWNER } access_role;

typedef struct access_identity {
  int64_t person; /**< row of the table `person`; 0: the owner of the data directory, or nobody */
  access_role role;
} access_identity;

enum { ACCESS_KEY_BYTES = 44, ACCESS_COOKIE_BYTES = 192, ACCESS_LINK_SECONDS = 900 };

/** Reads the token of a data directory, or makes one; leaves a copy for the user's programs, which they mind as long as this program lives.
 *  Locks the file's mode to 0600.
 *  @param data     the data directory, which is this program's alone
 *  @param port     the server's, which names the copy and the cookie
 *  @param everyone asks nobody: every request is the owner's
 *  @param warning  receives why the copy could not be left, else it is emptied: the server runs without it
 *  @return SCR_OK, SCR_IO, SCR_BAD_FILE (the file holds no token), SCR_NO_MEMORY */
scr_status access_open(const char *data, unsigned port, bool everyone, access_control **out, scr_error *warning, scr_error *error);

/** Takes the copy away and frees. NULL is fine. */
void access_close(access_control *access);

/** Who shows these headers of a request; each may be NULL. */
access_identity access_identify(const access_control *access, const char *authorization, const char *cookie);

/** Proves to somebody who has reached `address` that the token is known here (proof.h). False where the nonce is not 16 to 64 letters,
 *  digits, '-' or '_'.
 *  @param proof [65] */
bool access_prove(const access_control *access, const char *nonce, const char *address, char *proof);

/** Browsers that were let in (sessions.h). @param views [SESSION_LIMIT]    @return how many */
size_t access_sessions(access_control *access, session_view *views);
/** Ends those of that name, NULL: all. @return how many there were */
size_t access_sessions_end(access_control *access, const char *name);

/** A key for one link, `/open?key=KEY`, good once within ACCESS_LINK_SECONDS. The oldest of many goes. False without random bytes.
 *  @param key [ACCESS_KEY_BYTES] */
bool access_link_make(access_control *access, char *key);

/** Uses a key up.
 *  @param cookie receives the value of a Set-Cookie header [ACCESS_COOKIE_BYTES]; "" when there is none: the key is no good, or nobody is
 *  asked
 *  @return whether it was good; where nobody is asked, all are */
bool access_link_use(access_control *access, const char *key, char *cookie);

#endif
