/* Messages lie in queues between each two ranks until they are fetched; all else is made of messages. */
#include "tests/support/thread_team.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef struct letter {
  struct letter *next;
  size_t size;
  unsigned char bytes[];
} letter;

typedef struct post_office {
  pthread_mutex_t mutex;
  pthread_cond_t news;
  letter *first[MOST][MOST], *last[MOST][MOST]; /* [from][to] */
} post_office;

typedef struct member {
  scr_team team;
  post_office *office;
  void (*work)(scr_team *team, void *user);
  void *user;
} member;

static void post(const member *self, unsigned to, const void *bytes, size_t size)
{
  post_office *office = self->office;
  letter *one = malloc(sizeof *one + size);
  if (!one) abort();
  one->next = NULL;
  one->size = size;
  if (size) memcpy(one->bytes, bytes, size);
  pthread_mutex_lock(&office->mutex);
  letter **last = &office->last[self->team.rank][to];
  if (*last)
    (*last)->next = one;
  else
    office->first[self->team.rank][to] = one;
  *last = one;
  pthread_cond_broadcast(&office->news);
  pthread_mutex_unlock(&office->mutex);
}

static void fetch(const member *self, unsigned from, void *bytes, size_t size)
{
  post_office *office = self->office;
  pthread_mutex_lock(&office->mutex);
  letter **first = &office->first[from][self->team.rank];
  while (!*first) pthread_cond_wait(&office->news, &office->mutex);
  letter *one = *first;
  *first = one->next;
  if (!*first) office->last[from][self->team.rank] = NULL;
  pthread_mutex_unlock(&office->mutex);
  if (one->size != size) {
    fprintf(stderr, "rank %u awaits %zu bytes of rank %u, which sent %zu\n", self->team.rank, size, from, one->size);
    abort();
  }
  if (size) memcpy(bytes, one->bytes, size);
  free(one);
}

static void exchange(scr_team *team, const team_parcel *send, size_t sends, const team_parcel *receive, size_t receives)
{
  const member *self = (const member *)(const void *)team;
  for (size_t k = 0; k < sends; k++) post(self, send[k].rank, send[k].bytes, send[k].size);
  for (size_t k = 0; k < receives; k++) fetch(self, receive[k].rank, receive[k].bytes, receive[k].size);
}

static void gather(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes)
{
  const member *self = (const member *)(const void *)team;
  unsigned char *at = all;
  for (unsigned q = 0; q < team->size; q++)
    if (q != team->rank) post(self, q, mine, size);
  for (unsigned q = 0; q < team->size; at += sizes[q++])
    if (q != team->rank)
      fetch(self, q, at, sizes[q]);
    else if (size)
      memcpy(at, mine, size);
}

/* What all have of a list of words. [size of the team][count] */
static void *gather_words(scr_team *team, const void *mine, size_t count)
{
  size_t sizes[MOST];
  void *all = malloc(team->size * count * 8 + 8);
  if (!all) abort();
  for (unsigned q = 0; q < team->size; q++) sizes[q] = 8 * count;
  gather(team, mine, 8 * count, all, sizes);
  return all;
}

static void sum(scr_team *team, int64_t *value, size_t count)
{
  int64_t *all = gather_words(team, value, count);
  for (size_t k = 0; k < count; k++) {
    uint64_t total = 0; /* words of bits wrap around */
    for (unsigned q = 0; q < team->size; q++) total += (uint64_t)all[q * count + k];
    memcpy(&value[k], &total, sizeof total);
  }
  free(all);
}

static void largest(scr_team *team, double *value, size_t count)
{
  double *all = gather_words(team, value, count);
  for (unsigned q = 0; q < team->size; q++)
    for (size_t k = 0; k < count; k++) value[k] = fmax(value[k], all[q * count + k]);
  free(all);
}

static void share(scr_team *team, void *bytes, size_t size)
{
  const member *self = (const member *)(const void *)team;
  for (unsigned q = 1; q < team->size && team->rank == 0; q++) post(self, q, bytes, size);
  if (team->rank > 0) fetch(self, 0, bytes, size);
}

static void abandon(scr_team *team, int code)
{
  fprintf(stderr, "rank %u abandons the others with %d\n", team->rank, code);
  abort();
}

static void *run_member(void *user)
{
  member *self = user;
  self->work(&self->team, self->user);
  return NULL;
}

unsigned team_of_threads(unsigned size, void (*work)(scr_team *team, void *user), void *user)
{
  post_office *office = calloc(1, sizeof *office);
  member members[MOST];
  pthread_t threads[MOST];
  if (!office || size < 1 || size > MOST) abort();
  pthread_mutex_init(&office->mutex, NULL);
  pthread_cond_init(&office->news, NULL);
  for (unsigned q = 0; q < size; q++)
    members[q] = (member){{.rank = q,
                           .size = size,
                           .sum = sum,
                           .largest = largest,
                           .exchange = exchange,
                           .gather = gather,
                           .share = share,
                           .abandon = abandon},
                          office,
                          work,
                          user};
  for (unsigned q = 0; q < size; q++)
    if (pthread_create(&threads[q], NULL, run_member, &members[q]) != 0) abort();
  for (unsigned q = 0; q < size; q++) pthread_join(threads[q], NULL);
  pthread_cond_destroy(&office->news);
  pthread_mutex_destroy(&office->mutex);
  free(office);
  return members[0].team.moves;
}
