/** A browser without a window that this program starts and gives orders to: Chromium, over the pipe of its DevTools protocol.
 *
 *  Commands and answers are JSON texts, each ended by a zero byte, on descriptors 3 and 4 of the browser, so that nothing listens on a port
 *  and nothing secret stands on a command line. Source: the protocol's documentation, --remote-debugging-pipe.
 *
 *  Its process group is killed when its time or its memory is used up, when this program is interrupted, and when it is closed. A pipe that
 *  breaks, as when this program dies, ends Chromium by itself. Threads: one. */
#ifndef SCREE_API_CLI_DRAWING_BROWSER_H
#define SCREE_API_CLI_DRAWING_BROWSER_H

#include <jansson.h>
#include <sys/types.h>

#include "api/cli/command.h"

enum { BROWSER_PATH_BYTES = 4096 };

typedef struct browser {
  pid_t pid;             /**< of its process group; 0: none runs */
  int commands, answers; /**< ends of pipes; -1: closed */
  double deadline;       /**< of interrupt_clock, s */
  double seconds;        /**< it was given */
  size_t memory_most;    /**< bytes that its processes may hold in all */
  size_t memory_peak;    /**< bytes seen */
  double memory_next;    /**< when it is looked at again, of interrupt_clock */
  char folder[64];       /**< its profile, made for it and removed with it; "": none */
  json_int_t last;       /**< number of the last command */
  const char *session;   /**< of the page that commands go to; NULL: the browser itself */
  char session_text[80];
  char *unread; /**< [unread_capacity] what came and is not yet a whole answer */
  size_t unread_size, unread_capacity;
  char error[800]; /**< why the last call failed */
} browser;

/** Finds Chromium or a browser that is built on it: $SCREE_CHROMIUM, else by its usual names in PATH. @param path [BROWSER_PATH_BYTES] */
bool browser_find(char *path);

/** Starts the browser at `path` with one empty page.
 *  @param seconds       it may live for       @param memory_most bytes
 *  @return CLI_DONE; CLI_FAILED, CLI_TIMED_OUT or CLI_INTERRUPTED with `error` filled. To be closed either way. */
cli_exit browser_open(browser *self, const char *path, double seconds, size_t memory_most);
void browser_close(browser *self);

/** Sends a command and waits for its answer.
 *  @param parameters its reference is taken; NULL: none
 *  @param result     receives the answer's "result" (new reference); NULL: not wanted */
cli_exit browser_command(browser *self, const char *method, json_t *parameters, json_t **result);

/** The value of an expression in the page, waited for when it is a promise (new reference, NULL: undefined). */
cli_exit browser_evaluate(browser *self, const char *expression, json_t **value);

#endif
