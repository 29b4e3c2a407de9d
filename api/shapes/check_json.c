/* What a check of a recording found. What is not known is null. */
#include "api/shapes/check_json.h"

#include "api/shapes/json_text.h"

json_t *check_json(const scr_check *check)
{
  bool damaged = check->integrity == SCR_DAMAGED;
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "integrity", scr_integrity_name(check->integrity), "records",
                   json_count(check->records), "expected", check->expected ? json_count(check->expected) : json_null(), "damaged",
                   check->damaged ? json_count(check->damaged) : json_null(), "offset", damaged ? json_count(check->offset) : json_null(),
                   "behind", json_count(check->behind), "time", json_finite(check->time), "digest",
                   check->digest[0] ? json_text(check->digest) : json_null(), "message", json_text(check->message));
}
