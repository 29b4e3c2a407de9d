/* The table is indexed by descriptor: the kernel gives a number anew only after it was closed, so an entry can't outlive its connection
 * for long, whatever becomes of it inside libmicrohttpd. */
#include "api/http/listen/gate.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { network_bytes = 8, key_bytes = 16 };

typedef struct entry {
  bool inside;
  unsigned char key[key_bytes]; /* IPv6 network or mapped IPv4 address */
} entry;

struct http_gate {
  pthread_mutex_t lock;
  size_t most, per_address, count, capacity;
  bool spare_loopback;
  entry *entries; /* [capacity], by descriptor */
};

http_gate *gate_create(unsigned most, unsigned per_address)
{
  http_gate *gate = calloc(1, sizeof *gate);
  if (!gate) return NULL;
  pthread_mutex_init(&gate->lock, NULL);
  gate->most = most;
  gate->spare_loopback = per_address == 0;
  gate->per_address = per_address ? per_address : most / 4 > 16 ? most / 4 : 16;
  return gate;
}

void gate_destroy(http_gate *gate)
{
  if (!gate) return;
  pthread_mutex_destroy(&gate->lock);
  free(gate->entries);
  free(gate);
}

/* What an address is counted by; whether it is this machine's own. Whoever has an IPv6 address has all of its /64 network. */
static bool key_of(const struct sockaddr *address, unsigned char key[key_bytes])
{
  static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
  memset(key, 0, key_bytes);
  if (address->sa_family == AF_INET6) {
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    bool v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) != 0;
    memcpy(key, &v6.sin6_addr, v4 ? key_bytes : network_bytes);
    return v4 ? key[12] == 127 : IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
  }
  if (address->sa_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, address, sizeof v4);
    memcpy(key, mapped, sizeof mapped);
    memcpy(key + sizeof mapped, &v4.sin_addr, 4);
    return key[12] == 127;
  }
  return true; /* a socket of this machine's file system */
}

/* Room for the entry of a descriptor. The lock is held. */
static bool grow(http_gate *gate, size_t needed)
{
  if (needed <= gate->capacity) return true;
  size_t capacity = gate->capacity ? gate->capacity : 256;
  while (capacity < needed) capacity *= 2;
  entry *entries = realloc(gate->entries, capacity * sizeof *entries);
  if (!entries) return false;
  memset(entries + gate->capacity, 0, (capacity - gate->capacity) * sizeof *entries);
  gate->entries = entries;
  gate->capacity = capacity;
  return true;
}

static void leave(http_gate *gate, size_t index)
{
  if (index >= gate->capacity || !gate->entries[index].inside) return;
  gate->entries[index].inside = false;
  gate->count--;
}

static size_t count_of(const http_gate *gate, const unsigned char key[key_bytes])
{
  size_t count = 0;
  for (size_t i = 0; i < gate->capacity; i++) count += gate->entries[i].inside && memcmp(gate->entries[i].key, key, key_bytes) == 0;
  return count;
}

gate_answer gate_enter(http_gate *gate, int socket, const struct sockaddr *address)
{
  unsigned char key[key_bytes];
  bool spared = key_of(address, key) && gate->spare_loopback;
  size_t index = (size_t)socket;
  gate_answer answer = GATE_OPEN;
  pthread_mutex_lock(&gate->lock);
  leave(gate, index);
  if (!grow(gate, index + 1)) {
    answer = GATE_NO_MEMORY;
  } else if (gate->count >= gate->most) {
    answer = GATE_FULL;
  } else if (!spared && count_of(gate, key) >= gate->per_address) {
    answer = GATE_ADDRESS_FULL;
  } else {
    gate->entries[index].inside = true;
    memcpy(gate->entries[index].key, key, key_bytes);
    gate->count++;
  }
  pthread_mutex_unlock(&gate->lock);
  return answer;
}

void gate_leave(http_gate *gate, int socket)
{
  pthread_mutex_lock(&gate->lock);
  leave(gate, (size_t)socket);
  pthread_mutex_unlock(&gate->lock);
}

size_t gate_count(http_gate *gate)
{
  pthread_mutex_lock(&gate->lock);
  size_t count = gate->count;
  pthread_mutex_unlock(&gate->lock);
  return count;
}
