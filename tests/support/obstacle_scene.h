/** Shapes of obstacles that tests run against, as scene text. */
#ifndef SCREE_SUPPORT_OBSTACLE_SCENE_H
#define SCREE_SUPPORT_OBSTACLE_SCENE_H

/** A box of 0.4 x 0.3 x 0.2 m, and the same as a mesh. */
#define OBSTACLE_BOX "{\"type\":\"box\",\"size\":[0.4,0.3,0.2]}"
#define OBSTACLE_MESH_BOX                                                                                                                  \
  "{\"type\":\"mesh\",\"vertices\":[[-0.2,-0.15,-0.1],[0.2,-0.15,-0.1],[-0.2,0.15,-0.1],[0.2,0.15,-0.1],[-0.2,-0.15,0.1],"                 \
  "[0.2,-0.15,0.1],[-0.2,0.15,0.1],[0.2,0.15,0.1]],\"triangles\":[[0,4,6],[0,6,2],[1,3,7],[1,7,5],[0,1,5],[0,5,4],[2,6,7],[2,7,3],"        \
  "[0,2,3],[0,3,1],[4,5,7],[4,7,6]]}"

#endif
