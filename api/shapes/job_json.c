/* The shapes `Job`, `Estimate` and `Totals` of openapi.yaml. json_pack takes over every value given with "o", also when it fails. */
#include "api/shapes/job_json.h"

#include <math.h>

#include "api/shapes/json_text.h"
#include "scene/counts.h"

json_t *costs_json(const scr_estimate *e)
{
  json_t *list = json_array();
  for (size_t k = 0; k < e->cost_count; k++)
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", e->costs[k].what, "count", json_finite(e->costs[k].count), "seconds",
                                          json_finite(e->costs[k].seconds)));
  return list;
}

json_t *estimate_json(const scr_estimate *e)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",                                         //
                   "node_count", json_count(e->node_count), "counts", scr_counts_json(e),                   //
                   "memory_bytes", json_finite(e->memory_bytes), "time_step", json_finite(e->time_step),    //
                   "time_step_rule", json_text(e->time_step_rule), "step_count", json_count(e->step_count), //
                   "frame_count", json_count(e->frame_count), "record_bytes", json_finite(e->record_bytes), //
                   "run_seconds", json_finite(e->run_seconds));
}

static double finite_or_zero(double value)
{
  return isfinite(value) ? value : 0.0;
}

/* Texts from a worker are cleaned. */
static json_t *job_headlines_json(const lab_job *job)
{
  json_t *list = json_array();
  for (size_t k = 0; k < job->progress.headline_count; k++) {
    const scr_headline *h = &job->progress.headlines[k];
    json_t *object = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(h->name), "label", json_text(h->label), "unit", json_text(h->unit),
                               "value", json_finite(h->value));
    if (json_array_append_new(list, object) == 0) continue;
    json_decref(list);
    return NULL;
  }
  return list;
}

static json_t *progress_json(const lab_job *job)
{
  if (job->started_ms == 0) return json_null();
  double passed = job->progress.duration > 0.0 ? finite_or_zero(job->progress.sim_time / job->progress.duration) : 0.0;
  double fraction = job->progress.step_count ? (double)job->progress.step / (double)job->progress.step_count : passed;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",                                  //
                   "step", json_count(job->progress.step), "step_count", json_count(job->progress.step_count), //
                   "sim_time", json_real(finite_or_zero(job->progress.sim_time)), "duration",
                   json_real(finite_or_zero(job->progress.duration)),      //
                   "fraction", json_real(fraction > 1.0 ? 1.0 : fraction), //
                   "headlines", job_headlines_json(job), "stage",
                   job->progress.stage[0] ? json_text(job->progress.stage) : json_null(), //
                   "run_seconds", json_finite(job->progress.run_seconds),                 //
                   "steps_per_second", json_finite(job->progress.steps_per_second),       //
                   "eta_seconds", json_finite(job->progress.eta_seconds), "last_seq", json_count(job->progress.last_seq));
}

static json_t *links_json(int64_t id)
{
  long long n = (long long)id;
  return json_pack("{s:o, s:o, s:o, s:o, s:s}", "self", json_sprintf("/api/v1/jobs/%lld", n), "curves",
                   json_sprintf("/api/v1/jobs/%lld/curves", n), "frames", json_sprintf("/api/v1/jobs/%lld/frames", n), "recording",
                   json_sprintf("/api/v1/jobs/%lld/recording", n), "stream", "/ws/v1");
}

static json_t *doubts_json(const lab_job *job)
{
  json_t *list = json_array();
  for (size_t i = 0; i < job->doubt_count; i++)
    if (json_array_append_new(
            list, json_pack("{s:o, s:o}", "kind", json_text(job->doubts[i].kind), "message", json_text(job->doubts[i].message)))) {
      json_decref(list);
      return NULL;
    }
  return list;
}

/* The lab checked them when they were written. */
static json_t *tags_json(const lab_job *job)
{
  json_t *tags = json_loads(job->tags[0] ? job->tags : "{}", 0, NULL);
  return tags ? tags : json_object();
}

static json_t *damage_json(const lab_damage *damage)
{
  if (!damage->message[0]) return json_null();
  return json_pack("{s:o, s:o, s:o, s:o}", "message", json_text(damage->message), "found", json_time(damage->found_ms), "sound",
                   json_count(damage->intact), "expected", damage->expected ? json_count(damage->expected) : json_null());
}

/* Those that were given. */
static json_t *options_json(const executor_options *options)
{
  json_t *object = json_object();
  for (size_t i = 0; i < EXECUTOR_WORDS; i++)
    if (executor_word_in(options, i)[0]) json_object_set_new(object, executor_words[i].name, json_text(executor_word_in(options, i)));
  if (options->time_limit > 0) json_object_set_new(object, "time_limit", json_finite(options->time_limit));
  return object;
}

static json_t *run_json(const lab_job *job)
{
  return job->ranks > 0 ? json_pack("{s:i, s:o}", "ranks", (int)job->ranks, "device", json_text(job->device)) : json_null();
}

json_t *job_json(const lab_job *job)
{
  return json_pack("{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:s, "
                   "s:o, s:o, s:o}",                                                                                                //
                   "id", (json_int_t)job->id, "name", json_text(job->name), "title", json_text(job->title),                         //
                   "method", json_text(job->method), "state", lab_job_state_name(job->state),                                       //
                   "created", json_time(job->created_ms), "started", json_time(job->started_ms), "ended", json_time(job->ended_ms), //
                   "attempt", job->attempt, "max_attempts", job->max_attempts, "cancel_requested", (int)job->cancel_requested,      //
                   "error", job->error[0] ? json_text(job->error) : json_null(), "progress", progress_json(job),                    //
                   "estimate", estimate_json(&job->estimate), "links", links_json(job->id), "tags", tags_json(job),                 //
                   "notes", json_text(job->notes), "doubts", doubts_json(job),                                                      //
                   "waiting", job->waiting[0] ? json_text(job->waiting) : json_null(), "priority", job->priority,                   //
                   "threads", (int)job->threads, "damage", damage_json(&job->damage),                                               //
                   "executor", job->executor, "executor_options", options_json(&job->options), "user", json_text(job->user),        //
                   "run", run_json(job));
}

json_t *totals_json(const lab_totals *totals)
{
  return json_pack("{s:o, s:o, s:o, s:o}", "queued", json_count(totals->queued), "running", json_count(totals->running), "paused",
                   json_count(totals->paused), "ended", json_count(totals->ended));
}

json_t *problems_json(const scr_problems *problems)
{
  json_t *list = json_array();
  for (size_t i = 0; list && i < problems->count; i++) {
    const scr_problem *p = &problems->items[i];
    json_t *reason = json_pack("{s:o, s:o, s:o, s:o}", "pointer", json_text(p->pointer), "given", json_text(p->given), "allowed",
                               json_text(p->allowed), "detail", json_text(p->detail));
    if (!reason || json_array_append_new(list, reason) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}
