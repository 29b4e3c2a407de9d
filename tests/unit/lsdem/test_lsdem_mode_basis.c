/* Which mode bases grains take: free of rigid motion, and of their own shape. Reference: fields without momenta, the moments of a box. */
#include "tests/support/lsdem_run.h"

#include "geometry/basis/basis.h"
#include "geometry/hexes/blocks.h"
#include "methods/lsdem/contact/query.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const double bar[3] = {0.4, 0.1, 0.1}; /* m */

/* One mode of a bar, u_y = cos(2 pi x'/L) with x' from its end, which has no momenta, and `rigid` times a shift and a turn. */
static void make_basis(geo_basis *basis, double rigid)
{
  const uint32_t cells[3] = {16, 4, 4};
  *basis = (geo_basis){.density = 1000, .young_modulus = 1e6, .poisson_ratio = 0.25, .mode_count = 1};
  assert_int_equal(geo_hexes_box(bar, cells, &basis->mesh, NULL), SCR_OK);
  assert_int_equal(geo_basis_allocate(basis, NULL), SCR_OK);
  for (size_t n = 0; n < basis->mesh.node_count; n++) {
    const double *x = basis->mesh.node[n];
    basis->field[3 * n + 1] = cos(2 * M_PI * (x[0] / bar[0] + 0.5)) + rigid * (0.7 + 5 * x[0]);
    basis->field[3 * n] = rigid * (0.2 - 5 * x[1]);
  }
  geo_basis_integrate_mass(&basis->mesh, basis->density, basis->field, 1, basis->mass);
  basis->stiffness[0] = 1e3;
}

/* What the field was before a rigid motion was added comes back to rounding, with its mass; a field without one keeps its bits. */
static void test_rigid_motion_is_taken_off_a_basis(void **state)
{
  (void)state;
  geo_basis pure, mixed;
  make_basis(&pure, 0);
  make_basis(&mixed, 1);
  double mass = pure.mass[0], first = pure.field[4];
  assert_true(mixed.mass[0] > 2 * mass);
  assert_int_equal(geo_basis_free_of_rigid_motion(&pure, NULL), SCR_OK);
  assert_int_equal(geo_basis_free_of_rigid_motion(&mixed, NULL), SCR_OK);
  assert_true(pure.mass[0] == mass && pure.field[4] == first);
  assert_float_equal(mixed.mass[0], mass, 1e-12 * mass);
  for (size_t k = 0; k < 3 * pure.mesh.node_count; k++) assert_float_equal(mixed.field[k], pure.field[k], 1e-12);
  geo_basis_clear(&pure);
  geo_basis_clear(&mixed);
}

/* A grain of that size with the bar's basis. */
static scr_status make_grain(const double size[3], lsdem_template *grain, scr_error *error)
{
  geo_basis basis;
  make_basis(&basis, 1);
  text_builder file = {0};
  geo_basis_write(&basis, &file);
  size_t length = file.length;
  char *written = text_take(&file);
  const scr_shape shape = {.kind = SCR_SHAPE_BOX, .size = {size[0], size[1], size[2]}};
  const lsdem_recipe recipe = {.shape = &shape,
                               .spacing = 0.025,
                               .grid = 0.025,
                               .density = 1000,
                               .young = 1e6,
                               .poisson = 0.25,
                               .modes = LSDEM_MODES_BASIS,
                               .basis = written,
                               .basis_bytes = length,
                               .basis_modes = 1,
                               .amplitude = 0.02,
                               .stiffness = NAN,
                               .modal_mass = NAN,
                               .table = "",
                               .damping_ratio = 0.1};
  scr_status status = lsdem_template_make(grain, &recipe, execution_of(1), error);
  scr_free(written);
  geo_basis_clear(&basis);
  return status;
}

/* The message of a grain of that size which is to have the bar's basis, "" where it is taken. */
static void take(const double size[3], char message[static 700])
{
  lsdem_template grain = {0};
  scr_error error = {0};
  scr_status status = make_grain(size, &grain, &error);
  snprintf(message, 700, "%s", status == SCR_OK ? "" : error.message);
  if (status == SCR_OK)
    assert_float_equal(grain.modal.mass[0][0], 0.5 * grain.mass, 0.02 * grain.mass); /* of a cosine, by elements of a sixteenth: 1.3 % */
  lsdem_template_clear(&grain);
}

/* What contacts ask of a grain whose modes are fields, by cells taken up once: the reference point is where the mode's own formula takes it
 * to the place, and the slope is the change of the value, by central differences within a cell. Amplitude 10 mm: slopes to 0.16. */
static void test_a_field_is_pulled_back_with_its_slope(void **state)
{
  (void)state;
  const double amplitude = 0.01, h = 1e-6;
  const int64_t iterations = 20;
  lsdem_template grain = {0};
  scr_error error = {0};
  if (make_grain(bar, &grain, &error) != SCR_OK) fail_msg("%s", error.message);
  lsdem_view view = {.grain = &grain, .amplitude = &amplitude, .rotation = matrix_identity(), .moved = amplitude};
  lsdem_view_rigid(&view);
  size_t below = 0, sloped = 0;
  for (int k = 0; k < 400; k++) {
    scr_vec3 place = vec3(0.19 * sin(k), 0.06 * sin(2.3 * k + 1), 0.055 * sin(3.7 * k + 2));
    lsdem_answer at, up, low;
    if (lsdem_query(&view, place, iterations, &at) != LSDEM_BELOW) continue;
    below++;
    scr_vec3 there = vec3_add(at.reference, vec3_scale(lsdem_mode_at(&grain.modes[0], at.reference), amplitude));
    assert_true(vec3_length(vec3_sub(there, place)) < 1e-9);
    for (int axis = 0; axis < 3; axis++) {
      scr_vec3 step = vec3(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0);
      if (lsdem_query(&view, vec3_add(place, step), iterations, &up) != LSDEM_BELOW ||
          lsdem_query(&view, vec3_sub(place, step), iterations, &low) != LSDEM_BELOW)
        continue;
      double one = up.value - at.value, other = at.value - low.value, slope = axis == 0 ? at.slope.x : axis == 1 ? at.slope.y : at.slope.z;
      if (fabs(one - other) > 1e-4 * h) continue; /* a face between cells, where slopes jump */
      sloped++;
      assert_float_equal((one + other) / (2 * h), slope, 2e-4);
    }
  }
  print_message("%zu places, %zu slopes\n", below, sloped);
  assert_true(below > 100 && sloped > 200);
  lsdem_template_clear(&grain);
}

/* A bar along another axis has the basis' volume and centroid. */
static void test_a_basis_of_another_shape_is_refused(void **state)
{
  (void)state;
  char message[700];
  const double turned[3] = {0.1, 0.4, 0.1};
  take(bar, message);
  assert_string_equal(message, "");
  take(turned, message);
  if (!strstr(message, "along x its mesh has a radius of gyration of 0.1155 m, the grain 0.02887 m")) fail_msg("'%s'", message);
}

SUITE(test_lsdem_mode_basis)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_motion_is_taken_off_a_basis),
      cmocka_unit_test(test_a_field_is_pulled_back_with_its_slope),
      cmocka_unit_test(test_a_basis_of_another_shape_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
