#include "api/shapes/executor_json.h"

#include "api/shapes/json_text.h"

static json_t *partition_json(const executor_partition *p)
{
  return json_pack("{s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "name", json_text(p->name), "default", (int)p->is_default, "up", (int)p->up,
                   "nodes", json_count(p->nodes), "idle_processors", json_count(p->idle_processors), "processors",
                   json_count(p->processors), "memory_bytes", json_finite(p->memory_bytes), "time_limit",
                   p->time_limit > 0 ? json_finite(p->time_limit) : json_null());
}

static json_t *waiting_json(const executor_waiting *w)
{
  return json_pack("{s:I, s:o, s:b}", "job", (json_int_t)w->job, "reason", json_text(w->reason), "for_ever", (int)w->for_ever);
}

static json_t *text_or_null(const char *text)
{
  return text[0] ? json_text(text) : json_null();
}

json_t *executor_json(const lab_executor *shown)
{
  const executor_report *r = &shown->report;
  json_t *partitions = json_array(), *waiting = json_array();
  bool engine = r->is_engine;
  for (size_t i = 0; i < r->partition_count; i++) json_array_append_new(partitions, partition_json(&r->partitions[i]));
  for (size_t i = 0; i < r->waiting_count; i++) json_array_append_new(waiting, waiting_json(&r->waiting[i]));
  return json_pack("{s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "name", shown->name, "available", (int)r->available, "reason",
                   text_or_null(r->reason), "engine", text_or_null(r->engine), "slots", (int)shown->slots, "queued",
                   engine ? json_count(r->queued) : json_null(), "running", engine ? json_count(r->running) : json_null(), "threads",
                   json_count(r->capacity.threads), "memory_bytes", engine ? json_null() : json_finite(r->capacity.memory_bytes),
                   "partitions", partitions, "waiting", waiting);
}
