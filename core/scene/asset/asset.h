/** Files that a scene refers to: found, read, named by the SHA-256 of their bytes.
 *
 *    "sha256:<64 hexadecimal digits>"   a file of the store: STORE/<digits>
 *    "part.stl", "meshes/part.stl"      a path beside the scene: below BESIDE, never out of it
 *
 *  Nothing else of the machine can be reached: names of the store are digits alone, paths are relative, have no "..", and no component of
 *  theirs is a link. What is read is held against its digest, or gets one: the effective scene names every file by it, so it means the same
 *  everywhere. */
#ifndef SCREE_SCENE_ASSET_H
#define SCREE_SCENE_ASSET_H

#include "scene/param.h"
#include "scene/problem.h"
#include "scree.h"

/** Most files of a scene. */
enum { SCENE_ASSET_LIMIT = 64 };

/** Where a scene refers to a file. */
typedef struct scene_asset_use {
  char *pointer; /**< JSON Pointer, owned */
  char *given;   /**< as the scene says it, owned */
  size_t asset;  /**< which file */
} scene_asset_use;

/** The files of a scene. Starts zeroed but for `source` and `most`. */
typedef struct scene_assets {
  const scr_asset_source *source; /**< while the scene is read; NULL: there are no files */
  uint64_t most;                  /**< bytes of all files together */
  uint64_t bytes;                 /**< of them so far */
  scr_asset *items;               /**< [count] each file once; bytes owned */
  size_t count;
  scene_asset_use *uses; /**< [use_count] in the scene's order */
  size_t use_count, use_capacity;
} scene_assets;

/** Whether a text names a file of the store. */
bool asset_is_named(const char *reference);

/** Reads the file that a scene refers to at `place`, or finds it among those read, and fills `to`; adds a problem where that is not
 *  possible.
 *  @param param what the value is for, for the problem's words
 *  @return SCR_OK also when a problem was added, with `to` naming no file; SCR_NO_MEMORY */
scr_status asset_take(scene_assets *assets, const scr_param *param, const path *place, const char *given, scr_problems *problems,
                      scr_asset_reference *to);

void scene_assets_clear(scene_assets *assets);

#endif
