/* The scene as the method fem has it, on the fine mesh or another, and what its load case does: the energy that it stores, how high the
 * body then jumps. */
#include <string.h>

#include "base/memory.h"
#include "methods/fem/coarsen/task/task.h"
#include "methods/fem/fem.h"
#include "methods/fem/state/state.h"
#include "sim/sim.h"

enum { FREE_STEPS = 5 /* without contact, after which a body has left */ };

/* Options of the method fem that a coarsening does not have: their defaults, by the table. */
static void fill_defaults(fem_options *options)
{
  for (size_t k = 0; k < FEM_PARAMS; k++) {
    char *field = (char *)options + fem_params[k].offset;
    switch (fem_params[k].kind) {
    case SCR_PARAM_NUMBER: *(double *)(void *)field = fem_params[k].fallback; break;
    case SCR_PARAM_INTEGER: *(int64_t *)(void *)field = (int64_t)fem_params[k].fallback; break;
    case SCR_PARAM_BOOLEAN: *(bool *)(void *)field = fem_params[k].fallback != 0; break;
    case SCR_PARAM_CHOICE: *(int *)(void *)field = (int)fem_params[k].fallback; break;
    default: break;
    }
  }
}

/* A scene and what it has of its own. */
typedef struct own_scene {
  scr_scene scene; /* first: the pointer that others have is to it */
  scr_specimen specimen;
  fem_specimen mesh;
  fem_material material;
} own_scene;

void coarsening_free_scene(scr_scene *scene)
{
  if (!scene) return;
  if (scene->warnings) scr_problems_clear(scene->warnings);
  mem_free(scene->warnings);
  mem_free(scene->options);
  mem_free(scene->materials);
  mem_free(scene);
}

/* Its only specimen with another mesh, the body's modulus scaled. */
static bool change(const scr_scene *from, const fem_specimen *mesh, double scale, own_scene *to)
{
  uint32_t own = from->specimens[0].material;
  to->specimen = from->specimens[0];
  to->mesh = *mesh;
  to->material = *fem_material_of(from, own);
  to->material.young_modulus *= scale;
  to->specimen.values = &to->mesh;
  to->scene.specimens = &to->specimen;
  to->scene.materials = mem_array(from->material_count, sizeof *to->scene.materials);
  if (!to->scene.materials) return false;
  memcpy(to->scene.materials, from->materials, from->material_count * sizeof *to->scene.materials);
  to->scene.materials[own].values = &to->material;
  return true;
}

/* What it warns of was said when the coarsening was checked. */
scr_status coarsening_make_scene(const coarsening_state *s, const fem_specimen *mesh, double scale, scr_scene **scene, scr_error *error)
{
  own_scene *whole = mem_array(1, sizeof *whole);
  scr_problems problems = {0};
  if (!whole) return scr_fail_memory(error, "a scene", sizeof *whole);
  scr_scene *made = *scene = &whole->scene;
  *made = *s->scene;
  fem_options *options = made->options = mem_array(1, sizeof *options);
  made->warnings = mem_array(1, sizeof *made->warnings);
  if (!change(s->scene, mesh, scale, whole) || !options || !made->warnings) return scr_fail_memory(error, "a scene", sizeof *made);
  fill_defaults(options);
  options->law = s->options->fem.law, options->element = s->options->fem.element, options->impact = s->options->fem.impact;
  options->loading = s->options->fem.loading, options->release = s->options->fem.release;
  made->method = &scr_method_fem.about;
  made->estimate = (scr_estimate){0};
  scr_status status = fem_check(made, &made->estimate, &problems);
  if (status == SCR_OK && problems.count)
    status = scr_fail(error, SCR_BAD_SCENE, problems.items[0].pointer, "%s", problems.items[0].detail);
  scr_problems_clear(&problems);
  return status;
}

/* Height of the centre of mass along `up`, unit, and how fast it rises. */
static double height_of(const fem_state *fem, scr_vec3 up, double *speed)
{
  const fem_system *system = &fem->system;
  const double axis[3] = {up.x, up.y, up.z};
  double height = 0, moving = 0;
  for (size_t n = 0; n < system->node_count; n++)
    for (size_t k = 0; k < 3; k++) {
      height += system->node_mass[n] * axis[k] * (system->rest[3 * n + k] + fem->motion.displacement[3 * n + k]);
      moving += system->node_mass[n] * axis[k] * fem->motion.velocity[3 * n + k];
    }
  *speed = moving / system->total_mass;
  return height / system->total_mass;
}

/* How high the centre rises: steps until nothing has been touched for some, then a parabola. 0: it does not leave what it stands on. */
static scr_status jump(scr_sim *sim, const scr_liveness *liveness, double *rise, scr_error *error)
{
  const fem_state *fem = sim->state;
  scr_vec3 gravity = sim->scene->rig.gravity;
  double weight = vec3_length(gravity), speed;
  unsigned free_steps = 0;
  *rise = 0;
  if (!(weight > 0) || fem->hold.count > 0) return SCR_OK;
  scr_vec3 up = vec3_scale(gravity, -1 / weight);
  double start = height_of(fem, up, &speed);
  while (sim->time < sim->scene->time.duration && free_steps < FREE_STEPS) {
    SCR_TRY(scr_sim_step(sim, error));
    scr_report_alive(liveness);
    free_steps = fem->solver.touches.count == 0 ? free_steps + 1 : 0;
  }
  double height = height_of(fem, up, &speed);
  if (free_steps == FREE_STEPS && speed > 0) *rise = height + 0.5 * speed * speed / weight - start;
  return SCR_OK;
}

scr_status coarsening_load(const coarsening_state *s, const fem_specimen *mesh, double scale, const scr_liveness *liveness,
                           coarsening_answer *answer, scr_error *error)
{
  scr_scene *scene = NULL;
  scr_sim *sim = NULL;
  *answer = (coarsening_answer){0};
  scr_status status = coarsening_make_scene(s, mesh, scale, &scene, error);
  if (status == SCR_OK) status = scr_sim_create(scene, 1, &sim, error);
  if (status == SCR_OK) answer->energy = ((const fem_state *)sim->state)->solver.energy;
  if (status == SCR_OK && s->options->fem.release) status = jump(sim, liveness, &answer->rise, error);
  scr_sim_destroy(sim);
  coarsening_free_scene(scene);
  return status;
}
