/** What a run shows and keeps: the entries of scr_method that are named alike. */
#ifndef SCREE_PERIDEM_OBSERVE_H
#define SCREE_PERIDEM_OBSERVE_H

#include "sim/method.h"

scr_status pd_declare(scr_sim *sim, scr_error *error);
void pd_observe(const scr_sim *sim, double *values);
scr_status pd_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

#endif
