/** A few threads for requests that take long (checking scenes, reading recordings), so that short ones never wait for them. */
#ifndef SCREE_API_HTTP_POOL_H
#define SCREE_API_HTTP_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct http_pool http_pool;

/** @param capacity most tasks waiting    @return NULL when threads or memory can't be had */
http_pool *pool_create(size_t threads, size_t capacity);

/** Queues `run(argument)`; any thread. False when the queue is full or the pool is ending. */
bool pool_submit(http_pool *pool, void (*run)(void *argument), void *argument);

/** Runs what is queued, then ends the threads. From then on pool_submit is false. Once. */
void pool_end(http_pool *pool);

/** Ends it if that was not done, and frees it. */
void pool_destroy(http_pool *pool);

#endif
