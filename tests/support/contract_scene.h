/** Scenes of the contracts that every method keeps: tests/data/contract/METHOD.json and METHOD-VARIANT.json, small ones in which much
 *  happens. A
 *  method of the table that has none fails the tests, so that a new method needs a scene and no test. Paths are from the root of the
 *  sources. */
#ifndef SCREE_SUPPORT_CONTRACT_SCENE_H
#define SCREE_SUPPORT_CONTRACT_SCENE_H

#include <stddef.h>

#include "scree.h"

typedef struct contract_scene {
  char name[64];   /**< "bdem-implicit" */
  char method[32]; /**< "bdem" */
  char *text;
  size_t length;
} contract_scene;

typedef struct contract_scenes {
  contract_scene *list;
  size_t count;
} contract_scenes;

/** Reads the scenes of every method of the table, in its order; the test fails where a method has none. To contract_scenes_clear. With the
 *  environment's SCREE_CONTRACT=METHOD those of that method alone. */
contract_scenes contract_scenes_read(void);
void contract_scenes_clear(contract_scenes *scenes);

/** The scene, checked; the test fails, with the reason, where it is refused. To scr_scene_destroy. */
scr_scene *contract_scene_open(const contract_scene *scene);

#endif
