/* Statistics of a study: strengths with Weibull's law, curves as bands, effects of factors, calibrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "server/lab/study/lab_study.h"

enum { points_default = 200, points_limit = 2000 };

/* A parameter; one that is needed and absent becomes a problem. */
static const char *text_of(const http_request *request, const char *name, bool needed, scr_problems *problems)
{
  const char *text = http_request_query(request, name);
  if (needed && (!text || !*text)) (void)scr_problems_add(problems, name, "", "a text", "the parameter %s is missing", name);
  return text ? text : "";
}

static double level_of(const http_request *request, scr_problems *problems)
{
  const char *text = http_request_query(request, "level");
  char *end = NULL;
  double level = text ? strtod(text, &end) : 0.9;
  if (text && (end == text || *end || !(level >= 0.5 && level <= 0.999)))
    (void)scr_problems_add(problems, "level", text, "a number from 0.5 to 0.999",
                           "the parameter level is '%.40s'; it must be a number from 0.5 to 0.999", text);
  return level;
}

static http_reply answer(const http_request *request, const ensemble_request *wanted, scr_problems *problems)
{
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  scr_error error = {0};
  json_t *json = NULL;
  if (problems->count > 0) return query_refused(request, problems);
  lab_status status = lab_study_ensemble(request->front->lab, http_request_job(request), wanted, &caller, &json, &error);
  return status == LAB_OK ? reply_json(200, json) : problem_reply_lab(request, status, &error);
}

http_reply route_study_strength(const http_request *request)
{
  scr_problems problems = {0};
  const ensemble_request wanted = {.result = text_of(request, "result", true, &problems),
                                   .by = text_of(request, "by", false, &problems),
                                   .censored = text_of(request, "censored", false, &problems),
                                   .level = level_of(request, &problems)};
  return answer(request, &wanted, &problems);
}

http_reply route_study_bands(const http_request *request)
{
  scr_problems problems = {0};
  long long points = points_default;
  query_number(request, "points", 2, points_limit, &points, &problems);
  const ensemble_request wanted = {.x = text_of(request, "x", true, &problems),
                                   .y = text_of(request, "y", true, &problems),
                                   .by = text_of(request, "by", false, &problems),
                                   .censored = "",
                                   .level = level_of(request, &problems),
                                   .points = (size_t)points};
  return answer(request, &wanted, &problems);
}

http_reply route_study_effects(const http_request *request)
{
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  scr_problems problems = {0};
  scr_error error = {0};
  json_t *json = NULL;
  const char *result = text_of(request, "result", true, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_study_effects(request->front->lab, http_request_job(request), result, &caller, &json, &error);
  return status == LAB_OK ? reply_json(200, json) : problem_reply_lab(request, status, &error);
}

static http_reply calibration(const http_request *request, lab_status (*look)(lab *, int64_t, double, json_t **, scr_error *))
{
  scr_problems problems = {0};
  scr_error error = {0};
  json_t *json = NULL;
  double level = level_of(request, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = look(request->front->lab, http_request_job(request), level, &json, &error);
  return status == LAB_OK ? reply_json(200, json) : problem_reply_lab(request, status, &error);
}

http_reply route_study_calibration(const http_request *request)
{
  return calibration(request, lab_study_calibration);
}

http_reply route_study_overlay(const http_request *request)
{
  return calibration(request, lab_study_overlay);
}
