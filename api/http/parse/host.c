/* Host and Origin checks. */
#include "api/http/parse/host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { host_bytes = 256 };

/* The name or address of "name", "name:port", "[v6]" or "[v6]:port". False when it is none of these. */
static bool split_host(const char *header, char name[host_bytes])
{
  bool bracket = header[0] == '[';
  const char *begin = header + (bracket ? 1 : 0);
  size_t length = strcspn(begin, bracket ? "]" : ":");
  if (length == 0 || length >= host_bytes) return false;
  const char *rest = begin + length;
  if (bracket) {
    if (*rest != ']') return false;
    rest++;
  }
  if (*rest == ':') {
    rest++;
    rest += strspn(rest, "0123456789");
  }
  if (*rest != '\0') return false;
  memcpy(name, begin, length);
  name[length] = '\0';
  return true;
}

bool http_address_is_loopback(const char *address)
{
  struct in_addr v4;
  struct in6_addr v6;
  if (inet_pton(AF_INET, address, &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  if (inet_pton(AF_INET6, address, &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return strcasecmp(address, "localhost") == 0;
}

static bool is_address(const char *text)
{
  struct in_addr v4;
  struct in6_addr v6;
  return inet_pton(AF_INET, text, &v4) == 1 || inet_pton(AF_INET6, text, &v6) == 1;
}

static bool is_listed(const char *names, const char *name)
{
  size_t length = strlen(name);
  while (names && *names) {
    size_t item = strcspn(names, ",");
    if (item == length && strncasecmp(names, name, length) == 0) return true;
    names += item + (names[item] == ',' ? 1 : 0);
  }
  return false;
}

bool http_host_allowed(const http_hosts *hosts, const char *header)
{
  char name[host_bytes];
  if (!header || !split_host(header, name)) return false;
  if (http_address_is_loopback(name) || strcasecmp(name, hosts->listen) == 0) return true;
  if (hosts->any_address && is_address(name)) return true;
  return is_listed(hosts->names, name);
}

bool http_origin_allowed(const char *origin, const char *host)
{
  if (!origin) return true;
  if (!host) return false;
  size_t scheme = strncasecmp(origin, "http://", 7) == 0 ? 7 : strncasecmp(origin, "https://", 8) == 0 ? 8 : 0;
  return scheme != 0 && strcasecmp(origin + scheme, host) == 0;
}
