/* The methods there are. A new one is one line in the table below. */
#include "methods/methods.h"

#include "methods/bdem/bdem.h"
#include "methods/fem/coarsening.h"
#include "methods/fem/fem.h"
#include "methods/fibre/fibre.h"
#include "methods/granular/granular.h"
#include "methods/lsdem/lsdem.h"
#include "methods/peridem/peridem.h"
#include "methods/rigid/rigid.h"

const scr_method *const scr_methods[] = {&scr_method_peridem,  &scr_method_bdem,       &scr_method_fem,
                                         &scr_method_lsdem,    &scr_method_rigid,      &scr_method_fibre,
                                         &scr_method_granular, &scr_method_coarsening, NULL};
