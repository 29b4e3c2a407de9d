/* Every curve and every field of a drawable that a method declares stands in data/value_tests.txt, with the test that holds it to a value
 * of another source than the program; that test exists and names it. */
#include <glob.h>

#include "methods/methods.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { LINE = 300, MOST = 1000 };

typedef struct entry {
  char method[32], kind[16], name[80], program[120], function[120];
  bool found; /* declared by its method */
} entry;

static entry entries[MOST];
static size_t entry_count;

/* Where the source of "unit/test_name" stands, in its area's folder; owned by the caller. */
static char *find_source(const char *program)
{
  char pattern[200];
  glob_t found;
  const char *slash = strchr(program, '/');
  snprintf(pattern, sizeof pattern, "tests/%.*s/*/%s.c", slash ? (int)(slash - program) : 0, program, slash ? slash + 1 : program);
  if (glob(pattern, 0, NULL, &found) != 0) run_fail("no such file", pattern);
  char *path = strdup(found.gl_pathv[0]);
  assert_non_null(path);
  globfree(&found);
  return path;
}

/* A file's text, owned by the caller. */
static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) run_fail("no such file", path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  char *text = malloc((size_t)size + 1);
  assert_non_null(text);
  rewind(file);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  text[size] = '\0';
  fclose(file);
  return text;
}

static int read_map(void **state)
{
  (void)state;
  char line[LINE];
  FILE *file = fopen("tests/data/value_tests.txt", "r");
  if (!file) return -1;
  while (fgets(line, sizeof line, file)) {
    char where[2 * 120] = "";
    entry e = {.program = ""};
    if (line[0] == '#' || line[0] == '\n') continue;
    if (entry_count == MOST || sscanf(line, "%31s %15s %79s %239[^\n]", e.method, e.kind, e.name, where) != 4) return -1;
    char *colon = strchr(where, ':');
    if (!colon) return -1;
    *colon = '\0';
    snprintf(e.program, sizeof e.program, "%.119s", where);
    snprintf(e.function, sizeof e.function, "%.119s", colon + 1);
    entries[entry_count++] = e;
  }
  fclose(file);
  return 0;
}

static void declared(const char *method, const char *kind, const char *name)
{
  for (size_t k = 0; k < entry_count; k++)
    if (strcmp(entries[k].method, method) == 0 && strcmp(entries[k].kind, kind) == 0 && strcmp(entries[k].name, name) == 0) {
      entries[k].found = true;
      return;
    }
  fail_msg("%s %s of method %s is not in data/value_tests.txt: test its value and say where", kind, name, method);
}

/* Scenes that declare all that a method may: its fields and curves that depend on options. */
static const char *const scenes[] = {
    "{\"scree\":1,\"name\":\"s\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e6}],"
    "\"specimens\":[{\"name\":\"a\","
    "\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"platens\",\"opening\":0."
    "6},"
    "\"output\":{\"pressure_time\":0.1},\"time\":{"
    "\"duration\":1},"
    "\"options\":{\"loading\":\"quasi_static\",\"force_chains\":true,\"contact_forces\":true,\"grain_table\":true,\"piece_table\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],\"specimens\":"
    "[{\"name\":\"a\","
    "\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"none\"},\"time\":{"
    "\"duration\":1},\"options\":{\"contact_forces\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"fem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],\"specimens\":["
    "{\"name\":\"a\","
    "\"material\":\"m\",\"divisions\":[2,2,2],\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"none\"},"
    "\"time\":{\"duration\":1,\"time_step\":1e-3},\"options\":{\"contact_forces\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"lsdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6,\"poisson_"
    "ratio\":0.25}],"
    "\"contact\":{\"contact_stiffness\":1e6,\"bond_stiffness\":1e5},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":0.1,"
    "\"modes\":\"isotropic\","
    "\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1},\"options\":{\"traction_"
    "table\":true,\"contact_forces\":true,\"force_chains\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"specimens\":[{\"name\":\"a\","
    "\"material\":\"m\","
    "\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,\"time_step\":1e-3},"
    "\"options\":{\"force_chains\":true,\"contact_forces\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
    "\"specimens\":[{\"name\":\"a\","
    "\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.001,\"length\":0.2}}],\"rig\":{\"type\":\"none\"},\"time\":{"
    "\"duration\":1},\"options\":{\"contact_forces\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"granular\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"internal_friction\":0.4}],"
    "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"none\"},"
    "\"time\":{\"duration\":1},\"options\":{\"cell\":0.1,\"domain_minimum\":[-1,-1,-1],\"domain_maximum\":[1,1,1],\"show_cells\":true}}",
    "{\"scree\":1,\"name\":\"s\",\"method\":\"granular\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"packing_fraction\":0.6,"
    "\"internal_friction\":0.4,\"grain_diameter\":0.001}],\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"shape\":{\"type\":\"box\","
    "\"size\":[0.4,0.4,0.4]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,-1],\"maximum\":[1,1,1]},\"time\":{\"duration\":1},"
    "\"options\":{\"dimension\":\"plane\",\"cell\":0.1,\"fluid_density\":1000,\"fluid_viscosity\":0.001}}",
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void test_what_methods_declare_stands_in_the_map(void **state)
{
  (void)state;
  size_t made = 0;
  for (size_t m = 0; scr_methods[m]; m++) {
    const scr_method_description *about = &scr_methods[m]->about;
    if (strcmp(about->name, "coarsening") == 0) continue; /* a task, whose curves are tables of another method's */
    for (size_t k = 0; k < about->curve_count; k++) declared(about->name, "curve", about->curves[k].name);
    for (size_t s = 0; s < SCENES; s++) {
      char mark[60];
      snprintf(mark, sizeof mark, "\"method\":\"%s\"", about->name);
      if (!strstr(scenes[s], mark)) continue;
      sim_run r = run_open(scenes[s], 1);
      size_t parts = r.sim->part_series, pressures = 1 + parts + r.sim->ledger_series;
      for (size_t k = 1; k < r.sim->series_count; k++) {
        char name[120];
        const char *of_part =
            k <= parts || (k >= pressures && k < pressures + r.sim->pressure_series) ? strrchr(r.sim->series[k].name, '.') : NULL;
        snprintf(name, sizeof name, "%s%s", of_part ? "<part>" : "", of_part ? of_part : r.sim->series[k].name);
        declared(about->name, "curve", name);
      }
      for (size_t d = 0; d < r.sim->drawable_count; d++)
        for (uint32_t f = 0; f < r.sim->drawables[d].field_count && !r.sim->drawables[d].changing; f++)
          declared(about->name, "field", r.sim->drawables[d].fields[f].name);
      run_close(&r);
      made++;
    }
  }
  assert_int_equal(made, SCENES);
  for (size_t k = 0; k < entry_count; k++)
    if (!entries[k].found)
      fail_msg("method %s declares no %s %s: take it out of data/value_tests.txt", entries[k].method, entries[k].kind, entries[k].name);
}

static void test_each_is_named_by_the_test_that_the_map_says(void **state)
{
  (void)state;
  for (size_t k = 0; k < entry_count; k++) {
    const entry *e = &entries[k];
    char *path = find_source(e->program), call[140], quoted[100];
    snprintf(call, sizeof call, " %s(", e->function);
    const char *dot = strncmp(e->name, "<part>", 6) == 0 ? strchr(e->name, '.') : NULL; /* of any part */
    snprintf(quoted, sizeof quoted, "%s%s\"", dot ? "" : "\"", dot ? dot : e->name);
    char *text = read_text(path);
    if (!strstr(text, call))
      fail_msg("%s has no function %s, which data/value_tests.txt says of %s %s", path, e->function, e->method, e->name);
    if (!strstr(text, quoted)) fail_msg("%s does not name %s, which data/value_tests.txt says of method %s", path, e->name, e->method);
    free(text), free(path);
  }
}

SUITE(test_value_tests)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_methods_declare_stands_in_the_map),
      cmocka_unit_test(test_each_is_named_by_the_test_that_the_map_says),
  };
  return cmocka_run_group_tests_name("value tests", tests, read_map, NULL);
}
