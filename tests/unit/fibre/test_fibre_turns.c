/* Turns of a rod's frames: twist is counted beyond half a turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/claim.h"
#include "tests/support/made_rod.h"
#include "tests/support/suites.h"

/* Of two edges the first stands still and the second goes round it on a cone of 60 degrees, three times. A frame that is carried along
 * comes back turned by the solid angle of the cone, 2 pi (1 - cos 60), each time, so the twist of reference between the two grows by
 * that: 3 pi in all, though a frame looks the same at every full turn. A polygon of 400 sides has 1e-4 less. */
static void test_turns_of_frames_are_counted(void **state)
{
  (void)state;
  const double cone = M_PI / 3;
  scr_vec3 places[3] = {{0, 0, 0}, {0, 0, 1}, {sin(M_PI / 3), 0, 1 + cos(M_PI / 3)}};
  made_rod m = made_rod_through(3, false, places);
  double start = m.frames.reference[1];
  for (int k = 1; k <= 1200; k++) {
    double angle = 2 * M_PI * k / 400;
    m.place[4 * 2] = sin(cone) * cos(angle), m.place[4 * 2 + 1] = sin(cone) * sin(angle);
    rod_carry_frames(&m.rod, m.place, &m.frames, &m.frames);
  }
  claim_relative("edge that goes round another three times: twist of its frame, rad", fabs(m.frames.reference[1] - start), 3 * M_PI, 1e-3,
                 "solid angle of the cone");
  made_rod_clear(&m);
}

SUITE(test_fibre_turns)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turns_of_frames_are_counted),
  };
  return cmocka_run_group_tests_name("fibre turns", tests, NULL, NULL);
}
