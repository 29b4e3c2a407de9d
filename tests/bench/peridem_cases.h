/** The cases of bench_peridem.c, as scenes: those of the numbers to beat, and the paper's scaling case. */
#ifndef SCREE_BENCH_PERIDEM_CASES_H
#define SCREE_BENCH_PERIDEM_CASES_H

#include <stdbool.h>

typedef struct bench_case {
  const char *name, *specimen, *rig, *options;
  unsigned steps;
  bool whole;       /**< a crush changes as it goes: all of it is timed, once per start; else the best of equal stretches */
  bool irregular;   /**< nodes are moved at random by up to a fifth of the spacing, so that no two bonds are alike */
  int lattice_edge; /**< nodes along an edge of a cube that LAMMPS can run too, 0 for none */
} bench_case;

#define CUBE_OPTIONS "\"horizon\":1.50075e-3,\"contact_radius\":1e-3"
/* The paper's bonds: with weight 1 and no correction. */
#define PAPER_OPTIONS CUBE_OPTIONS ",\"surface_correction\":\"none\",\"horizon_weight\":\"none\""
#define CUBE(size)                                                                                                                         \
  "{\"name\":\"cube\",\"material\":\"m\",\"spacing\":5e-4,\"shape\":{\"type\":\"box\",\"size\":[" size "," size "," size "]}}"
#define SPHERE(rest)                                                                                                                       \
  "{\"name\":\"g\",\"material\":\"m\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":5e-"      \
  "4}" rest "}"
#define PRESS(edge)                                                                                                                        \
  "{\"type\":\"box\",\"minimum\":[-" edge ",-" edge ",-" edge "],\"maximum\":[" edge "," edge "," edge "],\"walls\":{\"z_max\":{"          \
  "\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}}}"
#define NO_RIG "{\"type\":\"none\"}"

enum {
  CASE_CRUSH,
  CASE_CUBE_12,
  CASE_PAPER_12,
  CASE_CUBE_24,
  CASE_PAPER_24,
  CASE_CUBE_56,
  CASE_IRREGULAR_12,
  CASE_IRREGULAR_24,
  CASE_EIGHT,
  CASE_COUNT
};

static const bench_case cases[CASE_COUNT] = {
    {"hollow sphere, crushed to debris", SPHERE(""), PRESS("1.2e-3"),
     "\"horizon\":3.3333e-4,\"contact_radius\":2e-4,\"contact_surface\":\"nodes\"", 1800, true, false, 0},
    {"cube 12^3", CUBE("6e-3"), NO_RIG, CUBE_OPTIONS, 600, false, false, 12},
    {"cube 12^3, the paper's bonds", CUBE("6e-3"), NO_RIG, PAPER_OPTIONS, 600, false, false, 12},
    {"cube 24^3", CUBE("12e-3"), NO_RIG, CUBE_OPTIONS, 60, false, false, 24},
    {"cube 24^3, the paper's bonds", CUBE("12e-3"), NO_RIG, PAPER_OPTIONS, 60, false, false, 24},
    {"cube 56^3 (from memory)", CUBE("28e-3"), NO_RIG, CUBE_OPTIONS, 6, false, false, 0},
    {"cube 12^3, irregular nodes", CUBE("6e-3"), NO_RIG, PAPER_OPTIONS, 300, false, true, 12},
    {"cube 24^3, irregular nodes", CUBE("12e-3"), NO_RIG, PAPER_OPTIONS, 30, false, true, 24},
    {"8 hollow spheres, touching",
     SPHERE(",\"placement\":{\"type\":\"lattice\",\"origin\":[-1e-3,-1e-3,-1e-3],\"count\":[2,2,2],\"pitch\":[2.0e-3,2.0e-3,2.0e-3]}"),
     PRESS("2.1e-3"), "\"horizon\":3.3333e-4,\"contact_radius\":2e-4", 300, true, false, 0},
};

/** The paper's scaling case: 225 cubes of 1,211 nodes and 23,822 bonds that fall on a plane. Here 11 x 11 x 10 nodes of a lattice, which
 *  has as many bonds with a horizon of 2.24 spacings; they start where they lie on each other, with all their contacts. */
static const bench_case settling = {"225 cubes on each other",
                                    "{\"name\":\"c\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[1.1e-3,1.1e-"
                                    "3,1e-3]},\"placement\":{\"type\":\"lattice\","
                                    "\"origin\":[0.55e-3,0.55e-3,0.5e-3],\"count\":[5,5,9],\"pitch\":[1.1e-3,1.1e-3,1e-3]}}",
                                    "{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[5.5e-3,5.5e-3,9.5e-3],\"gravity\":[0,0,-9.81]}",
                                    "\"horizon\":2.24e-4,\"contact_radius\":2e-4",
                                    10,
                                    false,
                                    false,
                                    0};

/** Others whose bond forces alone are timed: weights by the conic law, alike for all bonds of one length; by directions in a ball, where
 *  hardly two vectors are alike; by weighted volumes; and a body from memory with the paper's bonds. */
#define BALL "{\"name\":\"b\",\"material\":\"m\",\"spacing\":5e-4,\"shape\":{\"type\":\"sphere\",\"radius\":1e-2}}"
static const bench_case conic = {
    "cube 24^3, conic weights, uncorrected", CUBE("12e-3"), NO_RIG, PAPER_OPTIONS ",\"micromodulus\":\"conic\"", 60, false, false, 0};
static const bench_case ball = {"ball, 40 across", BALL, NO_RIG, CUBE_OPTIONS, 30, false, false, 0};
static const bench_case volume_24 = {
    "cube 24^3, weighted volumes", CUBE("12e-3"), NO_RIG, CUBE_OPTIONS ",\"surface_correction\":\"volume\"", 60, false, false, 0};
static const bench_case paper_56 = {"cube 56^3 (from memory), the paper's bonds", CUBE("28e-3"), NO_RIG, PAPER_OPTIONS, 6, false, false, 0};

/** Whose vectors, 72 bytes a node, are 43 MB, more than the cache that cores share; few bonds, which the pass over nodes does not touch. */
static const bench_case large = {
    "cube 84^3 (beyond all caches)", CUBE("42e-3"), NO_RIG, "\"horizon\":1.05e-3,\"contact_radius\":1e-3", 3, false, false, 0};

#endif
