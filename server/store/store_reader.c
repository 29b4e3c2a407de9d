/* The pool of reading connections. */
#include "server/store/store_internal.h"

store_connection *store_take_reader(job_store *store)
{
  pthread_mutex_lock(&store->mutex);
  while (store->idle_count == 0) pthread_cond_wait(&store->returned, &store->mutex);
  store_connection *reader = store->idle[--store->idle_count];
  pthread_mutex_unlock(&store->mutex);
  return reader;
}

void store_return_reader(job_store *store, store_connection *reader)
{
  pthread_mutex_lock(&store->mutex);
  store->idle[store->idle_count++] = reader;
  pthread_cond_signal(&store->returned);
  pthread_mutex_unlock(&store->mutex);
}
