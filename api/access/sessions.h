/** Sessions of browsers: a secret of its own for each, which is good for a week, in a cookie instead of the token.
 *
 *  What is kept, in memory and in the file `sessions` of the data directory, are digests: whoever reads them can't show what they are of.
 *  They are bound to the token: another token ends them all.
 *
 *  Threads: any. */
#ifndef SCREE_API_ACCESS_SESSIONS_H
#define SCREE_API_ACCESS_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct session_list session_list;

enum { SESSION_SECRET_BYTES = 44, SESSION_DAYS = 7, SESSION_LIMIT = 64, SESSION_NAME_BYTES = 13 };

/** Reads the sessions of a data directory that are still good. NULL: no memory. */
session_list *sessions_open(const char *data, const char *token);
void sessions_close(session_list *list);

/** A new session, on the disk where that works; the oldest of many ends. False without random bytes.
 *  @param secret [SESSION_SECRET_BYTES] */
bool sessions_begin(session_list *list, char *secret);

/** A session, as its owner sees it. */
typedef struct session_view {
  char name[SESSION_NAME_BYTES]; /**< the first digits of its digest */
  int64_t begun, until;          /**< s since 1970 */
} session_view;

/** Those that are still good, the newest first. @param views [SESSION_LIMIT]    @return how many */
size_t sessions_view(session_list *list, session_view *views);
/** Ends the sessions of that name; NULL: all. @return how many */
size_t sessions_end(session_list *list, const char *name);

/** Whether a secret is that of a session that is still good. */
bool sessions_good(session_list *list, const char *secret);

#endif
