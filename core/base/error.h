/** Errors as values: how a function inside core reports one. */
#ifndef SCREE_BASE_ERROR_H
#define SCREE_BASE_ERROR_H

#include "scree.h"

/** Fills `error` (which may be NULL) and returns `code`. `pointer` may be NULL; the message is cut to fit. */
scr_status scr_fail(scr_error *error, scr_status code, const char *pointer, const char *format, ...) __attribute__((format(printf, 4, 5)));

/** scr_fail with SCR_NO_MEMORY and the number of bytes that were wanted for `what`. */
scr_status scr_fail_memory(scr_error *error, const char *what, size_t bytes);

/** scr_fail with SCR_IO, the path and the text of errno. */
scr_status scr_fail_io(scr_error *error, const char *action, const char *path, int error_number);

/** Returns the failing status of `call` upward. */
#define SCR_TRY(call)                                                                                                                      \
  do {                                                                                                                                     \
    scr_status scr_try_status = (call);                                                                                                    \
    if (scr_try_status != SCR_OK) return scr_try_status;                                                                                   \
  } while (0)

/** Most problems that a list has; what comes after them is dropped and leaves `truncated` set. */
enum { SCR_PROBLEM_LIMIT = 100 };

/** Appends a problem. `given` and `allowed` may be NULL (taken as ""). Returns SCR_OK or SCR_NO_MEMORY; callers that go on
 *  collecting may ignore the result: a lost problem leaves `truncated` set. */
scr_status scr_problems_add(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
