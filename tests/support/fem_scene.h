/* Scenes of the method fem as text, for tests that change a few numbers of them. */
#ifndef SCREE_SUPPORT_FEM_SCENE_H
#define SCREE_SUPPORT_FEM_SCENE_H

#include "tests/support/sim_run.h"

typedef struct fem_scene {
  double young, nu, density, damping; /* Pa, 1, kg/m^3, s */
  double size[3];                     /* m */
  int cells[3];
  double place[3], velocity[3], spin[3];
  double angle; /* deg, about y */
  double gravity[3];
  double friction;
  double step, duration;              /* s */
  const char *law, *element, *impact; /* NULL: the default's */
  const char *rig, *obstacles, *load; /* JSON; NULL: none */
  const char *options;                /* more of them: ", \"flight\": true"; NULL: none */
} fem_scene;

enum { FEM_SCENE_BYTES = 4096 };

/* The scene's JSON, into FEM_SCENE_BYTES. */
static inline void fem_scene_text(const fem_scene *s, char *text)
{
  snprintf(text, FEM_SCENE_BYTES,
           "{ \"scree\": 1, \"name\": \"case\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": %.17g, "
           "\"young_modulus\": %.17g,"
           " \"poisson_ratio\": %.17g, \"stiffness_damping\": %.17g } ], \"contact\": { \"friction_coefficient\": %.17g },"
           " \"specimens\": [ { \"name\": \"body\", \"material\": \"m\", \"divisions\": [%d, %d, %d], \"shape\": { \"type\": \"box\", "
           "\"size\": [%.17g, %.17g, %.17g] },"
           " \"placement\": { \"type\": \"single\", \"position\": [%.17g, %.17g, %.17g] }, \"rotation\": { \"axis\": [0, 1, 0], "
           "\"angle_deg\": %.17g },"
           " \"velocity\": [%.17g, %.17g, %.17g], \"angular_velocity\": [%.17g, %.17g, %.17g] %s } ],"
           " \"rig\": { %s, \"gravity\": [%.17g, %.17g, %.17g] }, \"obstacles\": [ %s ], \"time\": { \"duration\": %.17g, \"time_step\": "
           "%.17g },"
           " \"options\": { \"law\": \"%s\", \"element\": \"%s\", \"impact\": \"%s\" %s } }",
           s->density, s->young, s->nu, s->damping, s->friction, s->cells[0], s->cells[1], s->cells[2], s->size[0], s->size[1], s->size[2],
           s->place[0], s->place[1], s->place[2], s->angle, s->velocity[0], s->velocity[1], s->velocity[2], s->spin[0], s->spin[1],
           s->spin[2], s->load ? s->load : "", s->rig ? s->rig : "\"type\": \"none\"", s->gravity[0], s->gravity[1], s->gravity[2],
           s->obstacles ? s->obstacles : "", s->duration, s->step, s->law ? s->law : "neo-hookean", s->element ? s->element : "plain",
           s->impact ? s->impact : "step", s->options ? s->options : "");
}

static inline sim_run fem_open(const fem_scene *s, unsigned threads)
{
  char text[FEM_SCENE_BYTES];
  fem_scene_text(s, text);
  return run_open(text, threads);
}

#define FEM_FLOOR "{ \"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": 1 }, \"position\": [0, 0, 0] }"

#endif
