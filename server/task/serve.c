/* The task process: reads a request, does the work, answers. Nothing is kept between two requests. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "run/opening.h"
#include "scene/scene.h"
#include "server/job.h"
#include "server/task/parcel.h"
#include "server/task/task.h"

/* ── bytes ── */

static bool read_whole(int fd, void *into, size_t size)
{
  for (size_t got = 0; got < size;) {
    ssize_t part = read(fd, (char *)into + got, size - got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    got += (size_t)part;
  }
  return true;
}

static bool send_whole(int socket, const void *bytes, size_t size)
{
  for (size_t sent = 0; sent < size;) {
    ssize_t part = send(socket, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    sent += (size_t)part;
  }
  return true;
}

/* ── scenes ── */

typedef struct task {
  const char *assets; /* directory */
  parcel_reader request;
  parcel answer; /* behind the error's message */
  scr_error error;
} task;

static scr_status parse_scene(task *t, scr_scene **scene)
{
  scr_limits limits = {0};
  scr_problems problems = {0};
  size_t length = 0;
  parcel_take_exactly(&t->request, &limits, sizeof limits);
  char *text = parcel_take_block(&t->request, &length);
  if (t->request.failed) return scr_fail(&t->error, SCR_NO_MEMORY, NULL, "no memory to check the scene");
  const scr_asset_source source = {.store = t->assets};
  scr_status status = scr_scene_parse_with(text ? text : "", length, &limits, &source, scene, &problems);
  if (status == SCR_BAD_SCENE) scr_fail(&t->error, status, NULL, "the scene is refused; the problems say why");
  if (status == SCR_NO_MEMORY) scr_fail(&t->error, status, NULL, "no memory to check the scene");
  parcel_put_problems(&t->answer, &problems);
  scr_problems_clear(&problems);
  free(text);
  return status;
}

static scr_status put_facts(task *t, const scr_scene *scene)
{
  assert(scene != NULL);
  char *effective = scr_scene_json(scene), *gaps = scr_scene_gaps_json(scene);
  if (effective && gaps) {
    parcel_put_text(&t->answer, effective);
    parcel_put_text(&t->answer, gaps);
  }
  scr_free(gaps);
  scr_free(effective);
  if (!effective || !gaps) return scr_fail(&t->error, SCR_NO_MEMORY, NULL, "no memory to write the scene");
  parcel_put_text(&t->answer, scr_scene_name(scene));
  parcel_put_text(&t->answer, scr_scene_title(scene));
  parcel_put_text(&t->answer, scr_scene_method(scene));
  scr_estimate estimate = *scr_scene_estimate(scene);
  estimate.cost_count = 0; /* their texts are this process's */
  memset(estimate.costs, 0, sizeof estimate.costs);
  parcel_put_block(&t->answer, &estimate, sizeof estimate);
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a scene that was read */
  parcel_put_number(&t->answer, (uint64_t)scene->run.ranks);
  static_assert(sizeof scene->run.device == LAB_DEVICE_BYTES, "what the lab has room for");
  parcel_put_block(&t->answer, scene->run.device, sizeof scene->run.device);
  parcel_put_number(&t->answer, scene->method->can.on_ranks);
  parcel_put_problems(&t->answer, scr_scene_warnings(scene));
  size_t count = scr_scene_asset_count(scene);
  parcel_put_number(&t->answer, count);
  for (size_t i = 0; i < count; i++) parcel_put_block(&t->answer, scr_scene_asset(scene, i)->digest, sizeof(lab_digest));
  return SCR_OK;
}

static scr_status check(task *t)
{
  scr_scene *scene = NULL;
  scr_status status = parse_scene(t, &scene);
  if (status == SCR_OK) status = put_facts(t, scene);
  scr_scene_destroy(scene);
  return status;
}

static scr_status put_template(task *t, const scr_scene *scene, const char *specimen)
{
  char *text = NULL;
  scr_preview_shape shape = {0};
  scr_status status = scr_specimen_preview_json(scene, specimen, &text, &t->error);
  if (status == SCR_OK) status = scr_specimen_preview_shape(scene, specimen, &shape, &t->error);
  if (status == SCR_OK) {
    parcel_put_text(&t->answer, text);
    parcel_put_block(&t->answer, shape.vertices, 3 * shape.vertex_count * sizeof *shape.vertices);
    parcel_put_block(&t->answer, shape.triangles, 3 * shape.triangle_count * sizeof *shape.triangles);
    parcel_put_block(&t->answer, shape.fields, 3 * shape.vertex_count * shape.mode_count * sizeof *shape.fields);
    parcel_put_number(&t->answer, shape.mode_count);
  }
  scr_preview_shape_clear(&shape);
  scr_free(text);
  return status;
}

static scr_status template_of(task *t)
{
  scr_scene *scene = NULL;
  scr_status status = parse_scene(t, &scene);
  char *specimen = parcel_take_text(&t->request);
  if (status == SCR_OK) status = put_template(t, scene, specimen);
  free(specimen);
  scr_scene_destroy(scene);
  return status;
}

static scr_status picture_of(task *t)
{
  scr_scene *scene = NULL;
  unsigned char *records = NULL;
  size_t size = 0;
  scr_status status = parse_scene(t, &scene);
  if (status == SCR_OK) status = run_opening(scene, TASK_PICTURE_LIMIT, &records, &size, &t->error);
  if (status == SCR_OK) parcel_put_block(&t->answer, records, size);
  scr_free(records);
  scr_scene_destroy(scene);
  return status;
}

/* ── assets ── */

/* All of an asset, with a zero byte behind it. */
static scr_status read_asset(task *t, const char *digest, unsigned char **bytes, size_t *size)
{
  char path[4300];
  struct stat about;
  snprintf(path, sizeof path, "%s/%s", t->assets, digest);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  scr_status status = SCR_OK;
  if (fd < 0 || fstat(fd, &about) != 0) {
    status = scr_fail(&t->error, SCR_IO, NULL, "the file could not be read: %s", strerror(errno));
  } else if (about.st_size > TASK_FILE_LIMIT) {
    status = scr_fail(&t->error, SCR_BAD_FILE, NULL, "the file has %llu bytes; at most %d are looked at", (unsigned long long)about.st_size,
                      TASK_FILE_LIMIT);
  } else {
    *size = (size_t)about.st_size;
    *bytes = malloc(*size + 1);
    if (!*bytes)
      status = scr_fail(&t->error, SCR_NO_MEMORY, NULL, "no memory for the file");
    else if (!read_whole(fd, *bytes, *size))
      status = scr_fail(&t->error, SCR_IO, NULL, "the file could not be read completely");
    else
      (*bytes)[*size] = 0;
  }
  if (fd >= 0) close(fd);
  return status;
}

static void put_preview(parcel *p, const scr_preview *shown)
{
  parcel_put_text(p, shown->kind);
  parcel_put_number(p, shown->grains);
  parcel_put_number(p, shown->whole_count);
  parcel_put_block(p, shown->vertices, 3 * shown->vertex_count * sizeof *shown->vertices);
  parcel_put_block(p, shown->triangles, 3 * shown->triangle_count * sizeof *shown->triangles);
  parcel_put_block(p, shown->parts, shown->triangle_count * sizeof *shown->parts);
  parcel_put_block(p, shown->low, sizeof shown->low);
  parcel_put_block(p, shown->high, sizeof shown->high);
  parcel_put_block(p, &shown->volume, sizeof shown->volume);
  parcel_put_problems(p, &shown->problems);
}

static scr_status preview(task *t)
{
  unsigned char *bytes = NULL;
  size_t size = 0;
  scr_preview shown = {0};
  char *digest = parcel_take_text(&t->request);
  size_t triangles = (size_t)parcel_take_number(&t->request);
  scr_status status = SCR_BAD_USAGE;
  if (digest && !t->request.failed && !strchr(digest, '/')) status = read_asset(t, digest, &bytes, &size);
  if (status == SCR_OK) status = scr_asset_preview(bytes, size, triangles, &shown, &t->error);
  if (status == SCR_OK) {
    put_preview(&t->answer, &shown);
    scr_preview_clear(&shown);
  }
  free(bytes);
  free(digest);
  return status;
}

/* ── requests ── */

/* From now on so many seconds more: the time of all requests before counts as well. */
static void allow_time(void)
{
  struct rusage used;
  struct rlimit limit;
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + TASK_CPU_SECONDS);
  setrlimit(RLIMIT_CPU, &limit);
}

static bool answer(int socket, scr_status status, const task *t)
{
  parcel said = {0};
  parcel_put_text(&said, t->error.message);
  bool whole = !said.failed && !t->answer.failed;
  const task_head head = {
      .version = TASK_VERSION, .kind = (uint32_t)(whole ? status : SCR_NO_MEMORY), .size = whole ? said.size + t->answer.size : 0};
  bool sent = send_whole(socket, &head, sizeof head);
  if (whole) sent = sent && send_whole(socket, said.bytes, said.size) && send_whole(socket, t->answer.bytes, t->answer.size);
  parcel_clear(&said);
  return sent;
}

static scr_status work(task *t, uint32_t kind)
{
  switch (kind) {
  case TASK_CHECK: return check(t);
  case TASK_TEMPLATE: return template_of(t);
  case TASK_PREVIEW: return preview(t);
  case TASK_PICTURE: return picture_of(t);
  default: return scr_fail(&t->error, SCR_BAD_USAGE, NULL, "there is no task of kind %u", (unsigned)kind);
  }
}

int task_serve(int socket, const char *assets)
{
  task_head head;
  while (read_whole(socket, &head, sizeof head)) {
    if (head.version != TASK_VERSION || head.size > TASK_BODY_LIMIT) return 1;
    unsigned char *body = malloc(head.size + 1);
    if (!body || !read_whole(socket, body, head.size)) {
      free(body);
      return 1;
    }
    task t = {.assets = assets, .request = {.bytes = body, .size = head.size}};
    allow_time();
    bool sent = answer(socket, work(&t, head.kind), &t);
    parcel_clear(&t.answer);
    free(body);
    if (!sent) return 0;
  }
  return 0;
}
