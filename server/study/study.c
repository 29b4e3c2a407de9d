#include "server/study/study.h"

#include <stdlib.h>

const char *study_state_name(study_state state)
{
  static const char *const names[] = {"running", "stopped", "finished", "deleting"};
  return names[state];
}

const char *study_row_state_name(study_row_state state)
{
  static const char *const names[] = {"waiting", "running", "ended", "succeeded", "failed", "cancelled", "refused"};
  return names[state];
}

void lab_study_row_clear(lab_study_row *row)
{
  free(row->factors);
  free(row->results);
  *row = (lab_study_row){0};
}

void lab_measured_clear(lab_measured *measured)
{
  free(measured->about);
  *measured = (lab_measured){0};
}
