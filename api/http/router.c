/* Finds the route of a request. The table is short enough to walk. */
#include "api/http/router.h"

#include <stdio.h>
#include <string.h>

static const http_route routes[] = {
    {"GET", "/api/v1/jobs?state&method&user&tag&q&sort&cursor&before&limit", route_job_list, ROUTE_SLOW},
    {"POST", "/api/v1/jobs?priority&user", route_job_submit, ROUTE_TAKES_JSON | ROUTE_HEAVY},
    {"GET", "/api/v1/jobs/{id}", route_job_get, ROUTE_SLOW},
    {"PATCH", "/api/v1/jobs/{id}", route_job_change, ROUTE_TAKES_JSON | ROUTE_SLOW},
    {"DELETE", "/api/v1/jobs/{id}", route_job_delete, ROUTE_SLOW},
    {"POST", "/api/v1/jobs/{id}/cancel", route_job_cancel, ROUTE_SLOW},
    {"POST", "/api/v1/jobs/{id}/pause", route_job_pause, ROUTE_SLOW},
    {"POST", "/api/v1/jobs/{id}/resume", route_job_resume, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/attempts", route_job_attempts, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/events?after&limit", route_job_events, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/log", route_job_log, ROUTE_SLOW},
    {"GET", "/api/v1/events?after&limit", route_events, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/scene", route_job_scene, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/curves?after&series&from&to&max_points&damaged", route_curves, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/files", route_file_list, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/files/{folder}/{file}", route_file, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/tables?damaged", route_table_list, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/tables/{name}?after&damaged", route_table, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/frames?after&damaged", route_frames, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/frames/{seq}/surface?format&damaged", route_surface, ROUTE_DRAWS | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/jobs/{id}/records/{seq}?points&damaged", route_record, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/recording?damaged", route_recording, ROUTE_SLOW},
    {"GET", "/api/v1/jobs/{id}/integrity", route_integrity, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/assets?after&limit", route_assets_list, ROUTE_SLOW},
    {"POST", "/api/v1/assets?name", route_assets_upload, ROUTE_TAKES_FILE | ROUTE_HEAVY},
    {"GET", "/api/v1/assets/{digest}", route_assets_get, ROUTE_SLOW},
    {"DELETE", "/api/v1/assets/{digest}", route_assets_delete, ROUTE_SLOW},
    {"GET", "/api/v1/assets/{digest}/content", route_assets_content, ROUTE_SLOW},
    {"GET", "/api/v1/assets/{digest}/preview?triangles", route_assets_preview, ROUTE_DRAWS | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/assets/{digest}/table?separator&decimal&units&rows", route_assets_table, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/measured?before&limit", route_measured_list, ROUTE_SLOW},
    {"POST", "/api/v1/measured", route_measured_add, ROUTE_TAKES_JSON | ROUTE_HEAVY},
    {"POST", "/api/v1/measured/check", route_measured_check, ROUTE_TAKES_JSON | ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/measured/{id}?points", route_measured_get, ROUTE_SLOW},
    {"DELETE", "/api/v1/measured/{id}", route_measured_remove, ROUTE_SLOW},
    {"POST", "/api/v1/scenes/check?executor", route_scene_check, ROUTE_TAKES_JSON | ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"POST", "/api/v1/scenes/picture", route_scene_picture, ROUTE_TAKES_JSON | ROUTE_DRAWS | ROUTE_ASKS_ONLY},
    {"POST", "/api/v1/scenes/template?specimen", route_scene_template, ROUTE_TAKES_JSON | ROUTE_DRAWS | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies?before&limit", route_study_list, ROUTE_SLOW},
    {"POST", "/api/v1/studies?user", route_study_submit, ROUTE_TAKES_JSON | ROUTE_HEAVY},
    {"POST", "/api/v1/studies/check", route_study_check, ROUTE_TAKES_JSON | ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies/{id}", route_study_get, ROUTE_SLOW},
    {"DELETE", "/api/v1/studies/{id}?runs", route_study_delete, ROUTE_SLOW},
    {"GET", "/api/v1/studies/{id}/document", route_study_document, ROUTE_SLOW},
    {"GET", "/api/v1/studies/{id}/rows?after&changed&limit", route_study_rows, ROUTE_SLOW},
    {"POST", "/api/v1/studies/{id}/rows", route_study_add, ROUTE_TAKES_JSON | ROUTE_SLOW},
    {"POST", "/api/v1/studies/{id}/stop", route_study_stop, ROUTE_SLOW},
    {"POST", "/api/v1/studies/{id}/resume", route_study_resume, ROUTE_SLOW},
    {"POST", "/api/v1/studies/{id}/retry", route_study_retry, ROUTE_SLOW},
    {"GET", "/api/v1/studies/{id}/strength?result&by&censored&level", route_study_strength, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies/{id}/bands?x&y&by&level&points", route_study_bands, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies/{id}/effects?result", route_study_effects, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies/{id}/calibration?level", route_study_calibration, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/studies/{id}/overlay?level", route_study_overlay, ROUTE_HEAVY | ROUTE_ASKS_ONLY},
    {"GET", "/api/v1/gallery/studies", route_study_gallery, 0},
    {"GET", "/api/v1/schema?method", route_scene_schema, 0},
    {"GET", "/api/v1/gallery", route_gallery, 0},
    {"GET", "/api/v1/methods", route_methods, 0},
    {"GET", "/api/v1/methods/{name}", route_method, 0},
    {"GET", "/api/v1/openapi.json", route_openapi, 0},
    {"POST", "/api/v1/links", route_link, 0},
    {"GET", "/api/v1/recordings/unclaimed?after", route_unclaimed, ROUTE_SLOW},
    {"POST", "/api/v1/recordings/adopt?after", route_adopt, ROUTE_HEAVY},
    {"GET", "/api/v1/sessions", route_sessions, 0},
    {"DELETE", "/api/v1/sessions", route_sessions_end, 0},
    {"DELETE", "/api/v1/sessions/{name}", route_sessions_end, 0},
    {"GET", "/api/v1/proof?nonce", route_proof, ROUTE_PUBLIC},
    {"GET", "/open?key", route_open, ROUTE_PUBLIC},
    {"GET", "/api/v1/executors", route_executors, ROUTE_SLOW},
    {"GET", "/api/v1/devices", route_devices, ROUTE_SLOW},
    {"GET", "/healthz", route_health, ROUTE_PUBLIC},
    {"GET", "/readyz", route_ready, ROUTE_SLOW},
    {"GET", "/", route_dashboard, ROUTE_PUBLIC},
    {"GET", "/guide", route_guide, ROUTE_PUBLIC},
    {"GET", "/guide/methods", route_guide_methods, ROUTE_PUBLIC},
    {"GET", "/guide/methods/{name}", route_guide_method, ROUTE_PUBLIC},
    {"GET", "/guide/validation/{name}", route_guide_validation, ROUTE_PUBLIC},
    {"GET", "/guide/study", route_guide_study, ROUTE_PUBLIC},
    {"GET", "/guide/calibration", route_guide_calibration, ROUTE_PUBLIC},
    {"GET", "/reference", route_reference, ROUTE_PUBLIC},
    {"GET", "/assets/{file...}", route_asset, ROUTE_PUBLIC},
};

/* Adds "GET, HEAD" or another method to an Allow list. */
static void allow_method(char *allow, size_t capacity, const char *method)
{
  size_t used = strlen(allow);
  snprintf(allow + used, capacity - used, "%s%s%s", used ? ", " : "", method, strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

const http_route *router_find(const char *method, const http_path *path, http_parameters *parameters, char *allow)
{
  const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
  allow[0] = '\0';
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    if (!http_path_match(path, routes[i].pattern, parameters)) continue;
    if (strcmp(routes[i].method, wanted) == 0) return &routes[i];
    allow_method(allow, 64, routes[i].method);
  }
  return NULL;
}
