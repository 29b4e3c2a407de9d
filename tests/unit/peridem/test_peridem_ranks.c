/* Runs of peridem that ranks share, played by threads: the recording of one, byte for byte, while bonds break and work is shared out anew.
 */
#include "methods/peridem/host/ranks/halo.h"
#include "run/run_team.h"
#include "tests/support/folder.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"
#include "tests/support/thread_team.h"

/* Two thin hollow spheres one above the other between the walls of a box, whose lid comes down: faces, springs of friction, self-contact.
 */
static const char spheres[] =
    "{\"scree\":1,\"name\":\"stack\",\"method\":\"peridem\",\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":135}],\"contact\":{\"friction_coefficient\":0.9,\"damping_ratio\":0.9},\"specimens\":[{\"name\":\"grain\","
    "\"material\":"
    "\"polymer\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":7.5e-4},"
    "\"placement\":{\"type\":"
    "\"list\","
    "\"positions\":[[0,0,-1.002e-3],[1e-4,0,1.002e-3]]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-2.004e-3],"
    "\"maximum\":[1.3e-3,"
    "1.2e-3,"
    "2.004e-3],\"gravity\":[0,0,-9.81],\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-80}]}}},\"time\":{"
    "\"duration\":2e-6,"
    "\"time_step\":2e-8},\"output\":{\"frame_interval\":5e-7,\"sample_interval\":2.5e-7},"
    "\"options\":{\"horizon\":3.3333e-4,\"contact_radius\":"
    "2e-4,"
    "\"self_contact\":true,\"force_chains\":true,\"grain_table\":true,\"piece_table\":true}}";

/* A column that strikes the floor and breaks: one body, cut into tiles. */
static const char column[] =
    "{\"scree\":1,\"name\":\"column\",\"method\":\"peridem\",\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":20}],\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":0.4},\"specimens\":[{\"name\":\"column\","
    "\"material\":"
    "\"polymer\",\"spacing\":1e-4,\"velocity\":[1.5,0,-30],\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,3e-3]},"
    "\"placement\":{\"type\":"
    "\"single\","
    "\"position\":[0,0,1.5005e-3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-2e-3,0],\"maximum\":[2e-3,2e-3,4e-3]},\"time\":{"
    "\"duration\":3e-6},"
    "\"output\":{\"frame_interval\":1e-6,\"sample_interval\":3e-7},\"options\":{\"self_contact\":true,\"horizon\":3.015e-4}}";

/* Two cubes struck face to face: what lies near nodes of the other is never nearer than their spacing, so boxes of blocks do not overlap.
 */
static const char cubes[] =
    "{\"scree\":1,\"name\":\"cubes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":20}],\"specimens\":["
    "{\"name\":\"left\",\"material\":\"polymer\",\"spacing\":1e-4,\"velocity\":[20,0,0],\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-"
    "4]},"
    "\"placement\":{\"type\":\"single\",\"position\":[-4.005e-4,0,0]}},"
    "{\"name\":\"right\",\"material\":\"polymer\",\"spacing\":1e-4,\"velocity\":[-20,0,0],\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,"
    "8e-4]},"
    "\"placement\":{\"type\":\"single\",\"position\":[4.005e-4,0,0]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-6},"
    "\"output\":{\"frame_interval\":5e-7,\"sample_interval\":1e-7},\"options\":{\"horizon\":3.015e-4}}";

/* Two cubes that strike and rub, of which one breaks, and small ones that nothing strikes: springs of friction go with the blocks that are
 * shared out anew as the weak cube's bonds are fewer. Of a small skin lists are made often, which is when work is shared out. */
#define RUBBING_MATERIAL(name, energy) "{\"name\":\"" name "\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":" energy "}"
#define RUBBING_CUBE(name, material, edge, velocity, placement)                                                                            \
  "{\"name\":\"" name "\",\"material\":\"" material "\",\"spacing\":1e-4,\"velocity\":" velocity ",\"shape\":{\"type\":\"box\",\"size\":"  \
  "[" edge "," edge "," edge "]},\"placement\":{" placement "}}"
/* clang-format off */
static const char rubbing[] =
    "{\"scree\":1,\"name\":\"rubbing\",\"method\":\"peridem\","
    "\"materials\":[" RUBBING_MATERIAL("weak", "2") "," RUBBING_MATERIAL("strong", "2000") "],\"contact\":{\"friction_coefficient\":0.9},"
    "\"specimens\":["
    RUBBING_CUBE("left", "weak", "12e-4", "[60,-10,0]", "\"type\":\"single\",\"position\":[-6.005e-4,0,0]") ","
    RUBBING_CUBE("right", "strong", "12e-4", "[-60,10,0]", "\"type\":\"single\",\"position\":[6.005e-4,1e-4,0]") ","
    RUBBING_CUBE("small", "strong", "6e-4", "[0,0,0]",
                 "\"type\":\"lattice\",\"count\":[6,1,1],\"pitch\":[8e-4,8e-4,8e-4],\"origin\":[0,0,3e-3]")
    "],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":4e-6},\"output\":{\"frame_interval\":2e-6,\"sample_interval\":4e-7},"
    "\"options\":{\"horizon\":3.015e-4,\"self_contact\":true,\"contact_skin\":0.02}}";
/* clang-format on */

typedef struct shared_run {
  const char *text;
  const char *folder;
} shared_run;

static void run_rank(scr_team *team, void *user)
{
  const shared_run *of = user;
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_error error = {0};
  const scr_run_options options = {.directory = of->folder, .threads = 1, .checkpoint_seconds = 1e-6};
  scr_status status = scr_scene_parse(of->text, strlen(of->text), NULL, &scene, &problems);
  if (status == SCR_OK) status = run_with_team(team_size(team) > 1 ? team : NULL, scene, &options, &error);
  if (status != SCR_OK)
    fprintf(stderr, "# rank %u: %s %s\n", team_rank(team), error.message, problems.count ? problems.items[0].detail : "");
  if (status != SCR_OK) abort();
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void assert_bonds_broke(const char *path)
{
  scr_recording *recording;
  scr_curves *curves;
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  const double *last = curves->values + (curves->sample_count - 1) * curves->series_count;
  size_t at = 0;
  while (strcmp(curves->series[at].name, "broken_bonds") != 0) at++;
  assert_true(last[at] > 100);
  scr_curves_destroy(curves);
  scr_recording_close(recording);
}

/* Bytes of the recording of so many ranks. A checkpoint is saved after each step or so. */
static size_t record(const char *text, unsigned ranks, unsigned char **bytes, unsigned *moves)
{
  char *folder = folder_create();
  shared_run of = {text, folder};
  *moves = team_of_threads(ranks, run_rank, &of);
  char *path = folder_path(folder, "recording.scree");
  size_t size = file_read(path, bytes);
  assert_bonds_broke(path);
  free(path);
  folder_remove(folder);
  return size;
}

static void assert_same_on_ranks(const char *text, unsigned most, bool moves)
{
  unsigned char *alone, *shared;
  unsigned moved, all = 0;
  size_t size = record(text, 1, &alone, &moved);
  for (unsigned ranks = 2; ranks <= most; ranks++) {
    assert_int_equal(record(text, ranks, &shared, &moved), size);
    assert_memory_equal(shared, alone, size);
    free(shared);
    all += moved;
  }
  free(alone);
  if (moves) assert_true(all > 0);
}

static void test_spheres_that_are_crushed_have_the_bytes_of_one_rank(void **state)
{
  (void)state;
  assert_same_on_ranks(spheres, 4, true);
}

static void test_a_lone_body_that_breaks_has_the_bytes_of_one_rank(void **state)
{
  (void)state;
  assert_same_on_ranks(column, 5, false);
}

static void test_cubes_struck_face_to_face_have_the_bytes_of_one_rank(void **state)
{
  (void)state;
  assert_same_on_ranks(cubes, 2, false);
}

static void test_bodies_that_rub_have_the_bytes_of_one_rank(void **state)
{
  (void)state;
  assert_same_on_ranks(rubbing, 4, true);
}

/* Work of 27 equal grains, by hand: three groups of eight in lanes of two tiles each, three single ones of two tiles; nodes of all in 63
 * blocks, of which those in the middle meet most. Cut in their order alone, tiles are .444 and .556 of the whole. */
enum { TILES = 12, BLOCKS = 63 };

/* NOLINTNEXTLINE(readability-non-const-parameter): pd_ranks_choose writes it */
static double unevenness_of(unsigned ranks, pd_ranks_work *work, uint16_t *tile_owner)
{
  uint16_t owner[BLOCKS];
  scr_team team = {.size = ranks};
  pd_ranks shared = {.team = &team, .owner = owner, .tile_owner = tile_owner};
  pd_host host = {.block_count = BLOCKS, .ranks = &shared, .runs = {.tile_count = TILES}};
  pd_state state = {.host = &host};
  pd_ranks_choose(&state, work);
  for (size_t b = 1; b < BLOCKS; b++) assert_true(owner[b] >= owner[b - 1] && owner[b] < ranks);
  return pd_ranks_unevenness(&state, work);
}

static void test_ranks_have_as_much_of_bonds_and_as_much_of_nodes(void **state)
{
  double tile[TILES] = {8, 8, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1}, rows[BLOCKS] = {0}, block[BLOCKS];
  uint16_t owner[TILES];
  pd_ranks_work work = {tile, rows, block};
  for (int b = 0; b < BLOCKS; b++) block[b] = 1 + (b > 20 && b < 40 ? 0.5 : 0);
  (void)state;
  double two = unevenness_of(2, &work, owner), bonds[2] = {0};
  for (int t = 0; t < TILES; t++) bonds[owner[t]] += tile[t];
  assert_float_equal(bonds[0], 27, 0);
  assert_float_equal(bonds[1], 27, 0);
  assert_in_range(1e6 * two, 1000000, 1010000);
  assert_in_range(1e6 * unevenness_of(3, &work, owner), 1000000, 1030000);
  for (int t = 0; t < TILES; t++) tile[t] = t == 0 ? 50 : 1; /* one tile is most of it: it has a rank of its own, whose 50 all wait for */
  unevenness_of(2, &work, owner);
  for (int t = 1; t < TILES; t++) assert_int_equal(owner[t], 1 - owner[0]);
  memset(tile, 0, sizeof tile); /* all bonds are broken */
  assert_in_range(1e6 * unevenness_of(2, &work, owner), 1000000, 1020000);
}

/* As many of bonds in tiles, and three single grains whose bonds are worked on by rows: 12 of 60, all in the last blocks, so that the rank
 * of these is due 18 of the 48 in tiles and the other 30. */
static void test_bonds_in_rows_count_with_those_in_tiles(void **state)
{
  double tile[TILES], rows[BLOCKS] = {0}, block[BLOCKS], bonds[2] = {0};
  uint16_t owner[TILES];
  pd_ranks_work work = {tile, rows, block};
  for (int t = 0; t < TILES; t++) tile[t] = 4;
  for (int b = 0; b < BLOCKS; b++) block[b] = 1, rows[b] = b >= BLOCKS - 6 ? 2 : 0;
  (void)state;
  double two = unevenness_of(2, &work, owner);
  for (int t = 0; t < TILES; t++) bonds[owner[t]] += tile[t];
  assert_in_range(bonds[0], 28, 32);
  assert_float_equal(bonds[0] + bonds[1], 48, 0);
  assert_in_range(1e6 * two, 1000000, 1050000); /* by whole tiles of 4 */
  for (int b = 0; b < BLOCKS; b++) rows[b] = b < 6 ? 20 : 0; /* the first blocks' rows are more than half: all tiles go elsewhere */
  assert_in_range(1e6 * unevenness_of(2, &work, owner), 1e6 * (120 + 32) / ((168 + 63) / 2.0) - 1,
                  1e6 * (120 + 32) / ((168 + 63) / 2.0) + 1);
  for (int t = 0; t < TILES; t++) assert_int_equal(owner[t], 1);
}

SUITE(test_peridem_ranks)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks_have_as_much_of_bonds_and_as_much_of_nodes),
                                     cmocka_unit_test(test_bonds_in_rows_count_with_those_in_tiles),
                                     cmocka_unit_test(test_cubes_struck_face_to_face_have_the_bytes_of_one_rank),
                                     cmocka_unit_test(test_bodies_that_rub_have_the_bytes_of_one_rank),
                                     cmocka_unit_test(test_spheres_that_are_crushed_have_the_bytes_of_one_rank),
                                     cmocka_unit_test(test_a_lone_body_that_breaks_has_the_bytes_of_one_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
