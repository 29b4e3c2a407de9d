/** The table of routes: which function answers which method and path. */
#ifndef SCREE_API_HTTP_ROUTER_H
#define SCREE_API_HTTP_ROUTER_H

#include "api/http/answer/reply.h"

typedef http_reply (*http_handler)(const http_request *request);

enum {
  ROUTE_TAKES_JSON = 1,  /**< has a body of application/json, at most the longest scene */
  ROUTE_SLOW = 2,        /**< reads the store or a file: runs on the pool of quick work */
  ROUTE_PUBLIC = 8,      /**< answers everyone, whoever they are */
  ROUTE_TAKES_FILE = 16, /**< has a body of any type that goes to a file (upload.h) */
  ROUTE_ASKS_ONLY = 32,  /**< changes nothing: is not begun any more once its client has gone */
  ROUTE_HEAVY = 4,       /**< may compute for seconds: runs on the pool of heavy work, so that the slow ones need not wait for it */
  ROUTE_DRAWS = 64       /**< draws something of unknown cost: runs on a pool of its own, so that checks and submissions need not wait */
};

typedef struct http_route {
  const char *method;  /**< "GET" (HEAD goes to it too), "POST", "PATCH", "DELETE" */
  const char *pattern; /**< path, and behind a '?' the names of its query parameters: "/api/v1/jobs?state&limit"; others are refused */
  http_handler handler;
  unsigned flags;
} http_route;

/** The route of a method and path; fills the request's parameters. NULL: `allow` receives the methods the path has ("" when the path
 *  is no route) as the Allow header lists them.
 *  @param allow [64] */
const http_route *router_find(const char *method, const http_path *path, http_parameters *parameters, char *allow);

/* The handlers, by file. Each one's contract is its operation in openapi.yaml. */
http_reply route_job_list(const http_request *request); /* route_jobs.c */
http_reply route_job_get(const http_request *request);
http_reply route_job_delete(const http_request *request);
http_reply route_job_cancel(const http_request *request);
http_reply route_job_pause(const http_request *request);
http_reply route_job_resume(const http_request *request);
http_reply route_job_submit(const http_request *request); /* route_submit.c */
http_reply route_adopt(const http_request *request);      /* route_adopt.c */
http_reply route_unclaimed(const http_request *request);
http_reply route_job_change(const http_request *request); /* route_history.c */
http_reply route_job_attempts(const http_request *request);
http_reply route_job_events(const http_request *request);
http_reply route_job_log(const http_request *request);
http_reply route_job_scene(const http_request *request);
http_reply route_events(const http_request *request);
http_reply route_curves(const http_request *request);     /* route_curves.c */
http_reply route_table_list(const http_request *request); /* route_tables.c */
http_reply route_table(const http_request *request);
http_reply route_file_list(const http_request *request); /* route_files.c */
http_reply route_file(const http_request *request);
http_reply route_surface(const http_request *request); /* route_surface.c */
http_reply route_frames(const http_request *request);  /* route_recording.c */
http_reply route_record(const http_request *request);
http_reply route_recording(const http_request *request);
http_reply route_integrity(const http_request *request);
http_reply route_scene_check(const http_request *request); /* route_scenes.c */
http_reply route_scene_template(const http_request *request);
http_reply route_scene_picture(const http_request *request);
http_reply route_scene_schema(const http_request *request);
http_reply route_study_check(const http_request *request); /* route_studies.c */
http_reply route_study_submit(const http_request *request);
http_reply route_study_list(const http_request *request);
http_reply route_study_get(const http_request *request);
http_reply route_study_document(const http_request *request);
http_reply route_study_gallery(const http_request *request);
http_reply route_study_add(const http_request *request);
http_reply route_study_stop(const http_request *request);
http_reply route_study_resume(const http_request *request);
http_reply route_study_retry(const http_request *request);
http_reply route_study_delete(const http_request *request);
http_reply route_study_strength(const http_request *request); /* route_study_ensemble.c */
http_reply route_study_bands(const http_request *request);
http_reply route_study_effects(const http_request *request);
http_reply route_study_calibration(const http_request *request);
http_reply route_study_overlay(const http_request *request);
http_reply route_study_rows(const http_request *request); /* route_study_rows.c */
http_reply route_gallery(const http_request *request);    /* route_gallery.c */
http_reply route_methods(const http_request *request);    /* route_methods.c */
http_reply route_method(const http_request *request);
http_reply route_health(const http_request *request); /* route_health.c */
http_reply route_ready(const http_request *request);
http_reply route_executors(const http_request *request);
http_reply route_devices(const http_request *request);
http_reply route_openapi(const http_request *request);
http_reply route_link(const http_request *request); /* route_access.c */
http_reply route_sessions(const http_request *request);
http_reply route_sessions_end(const http_request *request);
http_reply route_proof(const http_request *request);
http_reply route_open(const http_request *request);
http_reply route_assets_upload(const http_request *request); /* route_assets.c */
http_reply route_assets_list(const http_request *request);
http_reply route_assets_get(const http_request *request);
http_reply route_assets_content(const http_request *request);
http_reply route_assets_preview(const http_request *request);
http_reply route_assets_delete(const http_request *request);
http_reply route_assets_table(const http_request *request); /* route_measured.c */
http_reply route_measured_list(const http_request *request);
http_reply route_measured_add(const http_request *request);
http_reply route_measured_check(const http_request *request);
http_reply route_measured_get(const http_request *request);
http_reply route_measured_remove(const http_request *request);
http_reply route_dashboard(const http_request *request); /* route_dashboard.c */
http_reply route_asset(const http_request *request);
http_reply route_guide(const http_request *request);
http_reply route_guide_methods(const http_request *request);
http_reply route_guide_method(const http_request *request);
http_reply route_guide_validation(const http_request *request);
http_reply route_guide_study(const http_request *request);
http_reply route_guide_calibration(const http_request *request);
http_reply route_reference(const http_request *request);

/** How a body that should be a scene fails to be JSON at all; used by the routes that take one.
 *  @return whether it is JSON; else `reply` is the 400 */
bool scene_body_is_json(const http_request *request, http_reply *reply);

/** The answer where the laboratory could not make something of a scene. @param unfit the kind of problem that LAB_BAD_REQUEST is */
http_reply scene_failed(const http_request *request, lab_status status, problem_kind unfit, const scr_problems *problems,
                        const scr_error *error);

#endif
