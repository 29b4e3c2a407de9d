/* Files of control_file.h. A record is a head, the content, and a sum of both. What stands in place of a file, a link or a directory, is
 * not followed: the worker may write in its directory. */
#include "server/worker/control_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char order_file[] = "orders.lab", sign_file[] = "signs.worker";
enum { RECORD_VERSION = 1, SUM_BYTES = 8 };

typedef struct record_head {
  char magic[8];
  uint32_t version, size; /* of the content, bytes */
} record_head;

static_assert(sizeof(record_head) == 16, "layout between programs");

typedef struct order_record {
  record_head head;
  control_order content;
  uint64_t sum;
} order_record;

typedef struct sign_record {
  record_head head;
  control_sign content;
  uint64_t sum;
} sign_record;

static_assert(offsetof(order_record, sum) == 32, "layout between programs");
static_assert(offsetof(sign_record, sum) == 16 + sizeof(control_sign), "layout between programs");

/* FNV-1a of 64 bits: notices what is torn, protects against nobody. */
static uint64_t sum_of(const void *bytes, size_t size)
{
  uint64_t sum = 0xcbf29ce484222325u;
  for (const unsigned char *at = bytes; size > 0; at++, size--) sum = (sum ^ *at) * 0x100000001b3u;
  return sum;
}

static void seal(void *record, size_t size, const char magic[8])
{
  record_head *head = record;
  memcpy(head->magic, magic, sizeof head->magic);
  head->version = RECORD_VERSION;
  head->size = (uint32_t)(size - sizeof *head - SUM_BYTES);
  uint64_t sum = sum_of(record, size - SUM_BYTES);
  memcpy((char *)record + size - SUM_BYTES, &sum, sizeof sum);
}

static bool is_whole(const void *record, size_t size, const char magic[8])
{
  const record_head *head = record;
  uint64_t sum;
  memcpy(&sum, (const char *)record + size - SUM_BYTES, sizeof sum);
  return memcmp(head->magic, magic, sizeof head->magic) == 0 && head->version == RECORD_VERSION &&
         head->size == size - sizeof *head - SUM_BYTES && sum == sum_of(record, size - SUM_BYTES);
}

static bool path_of(const char *directory, const char *name, char *path, size_t capacity)
{
  int length = snprintf(path, capacity, "%s/%s", directory, name);
  return length > 0 && (size_t)length < capacity;
}

static int write_record(const char *directory, const char *name, const void *record, size_t size)
{
  char path[4200];
  if (!path_of(directory, name, path, sizeof path)) return ENAMETOOLONG;
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return errno;
  errno = EIO; /* of a write that is short */
  int code = pwrite(fd, record, size, 0) == (ssize_t)size ? 0 : errno;
  if (close(fd) != 0 && code == 0) code = errno; /* a network file system may say only now that it failed */
  return code;
}

static bool read_record(const char *directory, const char *name, void *record, size_t size)
{
  char path[4200];
  if (!path_of(directory, name, path, sizeof path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat about;
  bool whole = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && pread(fd, record, size, 0) == (ssize_t)size;
  close(fd);
  return whole;
}

int control_order_write(const char *directory, const control_order *order)
{
  order_record record;
  memset(&record, 0, sizeof record); /* padding too: it is summed */
  record.content.token = order->token;
  record.content.kind = order->kind;
  seal(&record, sizeof record, "SCRorder");
  return write_record(directory, order_file, &record, sizeof record);
}

bool control_order_read(const char *directory, control_order *order)
{
  order_record record;
  if (!read_record(directory, order_file, &record, sizeof record) || !is_whole(&record, sizeof record, "SCRorder")) return false;
  *order = record.content;
  return true;
}

int control_sign_write(const char *directory, const control_sign *sign)
{
  sign_record record;
  memset(&record, 0, sizeof record);
  memcpy(&record.content, sign, sizeof *sign);
  seal(&record, sizeof record, "SCRsigns");
  return write_record(directory, sign_file, &record, sizeof record);
}

static void make_finite(double *value)
{
  if (!isfinite(*value)) *value = 0;
}

void control_message_clean(control_message *message)
{
  message->text[sizeof message->text - 1] = 0;
  message->stage[sizeof message->stage - 1] = 0;
  if (message->headline_count > SCR_HEADLINE_LIMIT) message->headline_count = SCR_HEADLINE_LIMIT;
  for (size_t k = 0; k < SCR_HEADLINE_LIMIT; k++) {
    scr_headline *headline = &message->headlines[k];
    headline->name[sizeof headline->name - 1] = headline->label[sizeof headline->label - 1] = headline->unit[sizeof headline->unit - 1] = 0;
  }
  double *numbers[] = {&message->sim_time, &message->duration, &message->run_seconds, &message->steps_per_second,
                       &message->time_per_second};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) make_finite(numbers[i]);
}

bool control_sign_read(const char *directory, control_sign *sign)
{
  sign_record record;
  if (!read_record(directory, sign_file, &record, sizeof record) || !is_whole(&record, sizeof record, "SCRsigns")) return false;
  *sign = record.content;
  sign->host[sizeof sign->host - 1] = 0;
  make_finite(&sign->cpu_seconds);
  control_message_clean(&sign->message);
  return sign->message.version == CONTROL_VERSION;
}
