/* Whether elements of the linear law turn farther than it holds for. */
#include <math.h>
#include <string.h>

#include "methods/fem/state/state.h"

/* By how much element e has turned, rad: of its mean deformation gradient, as if that were a turn alone, whose axis times sin(turn) is its
 * skew part and whose trace is 1 + 2 cos(turn). */
static double turn_of(const fem_system *system, const double *displacement, size_t e)
{
  const fem_hex *hex = &system->shape[e];
  double u[FEM_CORNERS][3], mean[9] = {0};
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], displacement + 3 * (size_t)system->hex[e][a], sizeof u[a]);
  for (int g = 0; g < FEM_GAUSS; g++) {
    double d[9];
    fem_element_gradient(hex, &system->constitutive[system->body_of_hex[e]], (const double(*)[3])u, NULL, g, d);
    for (int k = 0; k < 9; k++) mean[k] += hex->gauss[g].weight / hex->volume * d[k];
  }
  scr_vec3 skew = vec3(0.5 * (mean[7] - mean[5]), 0.5 * (mean[2] - mean[6]), 0.5 * (mean[3] - mean[1]));
  return atan2(vec3_length(skew), 1 + 0.5 * (mean[0] + mean[4] + mean[8]));
}

static void raise_turn(const void *user, size_t begin, size_t end, double *most)
{
  const fem_state *s = user;
  for (size_t e = begin; e < end; e++) *most = fmax(*most, turn_of(&s->system, s->motion.displacement, e));
}

void fem_doubt_turns(scr_sim *sim)
{
  fem_state *s = sim->state;
  if ((fem_law)s->options->law != FEM_LINEAR) return;
  execution_largest(s->solver.settings.execution, s->system.hex_count, 1, raise_turn, s, &s->totals.turn);
  if (s->totals.turn > FEM_LINEAR_TURN)
    scr_sim_doubt(sim, "large_rotation",
                  "an element of law \"linear\" has turned by %.3g rad, which the law takes for a strain of %.2g; it is for turns below "
                  "%.2g rad: use "
                  "\"law\": \"neo-hookean\"",
                  s->totals.turn, 1 - cos(s->totals.turn), FEM_LINEAR_TURN);
}
