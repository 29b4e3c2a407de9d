/* Opening and closing the store, and its reading connections: a caller takes an idle one, uses it alone and gives it back. */
#include "server/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/store/store_internal.h"

static scr_status open_connections(job_store *store, const char *path, scr_error *error)
{
  SCR_TRY(connection_open(&store->writer, path, true, error));
  SCR_TRY(store_migrate(&store->writer, path, error));
  for (size_t i = 0; i < STORE_READERS; i++) {
    SCR_TRY(connection_open(&store->readers[i], path, false, error));
    store->idle[store->idle_count++] = &store->readers[i];
  }
  return SCR_OK;
}

static char *path_with(const char *path, const char *suffix)
{
  size_t size = strlen(path) + strlen(suffix) + 1;
  char *together = malloc(size);
  if (together) snprintf(together, size, "%s%s", path, suffix);
  return together;
}

scr_status store_open(const char *path, job_store **out, scr_error *error)
{
  *out = NULL;
  job_store *store = calloc(1, sizeof *store);
  if (!store) return scr_fail_memory(error, "the store", sizeof *store);
  store->durability = STORE_FULL;
  store->reserve_path = path_with(path, "-reserve");
  store->log_path = path_with(path, "-wal");
  if (!store->reserve_path || !store->log_path) {
    free(store->reserve_path);
    free(store->log_path);
    free(store);
    return scr_fail_memory(error, "the store", strlen(path));
  }
  char *old = path_with(path, "-ballast"); /* its name before */
  if (old) (void)unlink(old);
  free(old);
  pthread_mutex_init(&store->mutex, NULL);
  pthread_cond_init(&store->arrived, NULL);
  pthread_cond_init(&store->completed, NULL);
  pthread_cond_init(&store->returned, NULL);
  scr_status status = open_connections(store, path, error);
  if (status == SCR_OK) status = store_writer_start(store, error);
  if (status != SCR_OK) {
    store_close(store);
    return status;
  }
  *out = store;
  return SCR_OK;
}

void store_close(job_store *store)
{
  if (!store) return;
  store_writer_stop(store);
  for (size_t i = 0; i < STORE_READERS; i++) connection_close(&store->readers[i]);
  /* The last connection to close moves the write-ahead log into the database file and removes it. */
  connection_close(&store->writer);
  pthread_cond_destroy(&store->returned);
  pthread_cond_destroy(&store->completed);
  pthread_cond_destroy(&store->arrived);
  pthread_mutex_destroy(&store->mutex);
  free(store->reserve_path);
  free(store->log_path);
  free(store);
}

bool store_answers(job_store *store)
{
  int64_t since = atomic_load(&store->busy_since_ms);
  if (since != 0 && clock_monotonic_ms() - since > STORE_BUSY_MS) return false;
  int64_t id = 0;
  return store_last_id(store, &id, NULL) == SCR_OK;
}
