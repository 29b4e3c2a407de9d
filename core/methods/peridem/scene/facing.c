/* How many pairs of near nodes of different grains there will be, from where grains start: the costliest part of a step where bodies lie on
 * each other. */
#include "base/memory.h"
#include "geometry/search/boxes.h"
#include "methods/peridem/scene/checker.h"

/* What comes near during the run is near for about half of it. */
static const double arriving_share = 0.5;

typedef struct grain {
  const scr_specimen *specimen;
  double spacing; /* m */
} grain;

/* Boxes of all grains that are built. @return how many */
static size_t list_grains(const pd_checker *c, grain *grains, geo_box *boxes)
{
  size_t count = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const geo_box *box = &c->bodies[i].box;
    for (size_t k = 0; c->bodies[i].node_count > 0 && k < specimen->position_count; k++) {
      scr_vec3 at = specimen->positions[k];
      grains[count] = (grain){specimen, c->bodies[i].spacing};
      boxes[count++] = (geo_box){vec3_add(at, box->low), vec3_add(at, box->high)};
    }
  }
  return count;
}

/* Entries of rows of near nodes between two boxes that face each other with all of where they are side by side: for each node there the
 * places within the cap that the other's plane cuts off its reach; those of boxes that come together are as of nodes a spacing apart.
 * @param gap receives m */
static double entries_between(const geo_box *a, const geo_box *b, const grain grains[2], double reach, double *gap)
{
  double side[3] = {fmin(a->high.x, b->high.x) - fmax(a->low.x, b->low.x), fmin(a->high.y, b->high.y) - fmax(a->low.y, b->low.y),
                    fmin(a->high.z, b->high.z) - fmax(a->low.z, b->low.z)};
  int across = side[0] < side[1] ? (side[0] < side[2] ? 0 : 2) : (side[1] < side[2] ? 1 : 2);
  double area = 1, sum = 0;
  *gap = fmax(0, -side[across]);
  for (int k = 0; k < 3; k++)
    if (k != across) area *= fmax(0, side[k]) + grains[0].spacing; /* boxes end at nodes */
  for (int k = 0; k < 2; k++) {
    double h = grains[k].spacing, d = fmin(fmax(*gap < reach ? *gap : h, 0), reach);
    sum += area / (h * h) * M_PI / 3 * (reach - d) * (reach - d) * (2 * reach + d) / (h * h * h);
  }
  return sum;
}

double pd_facing_entries(const pd_checker *c, double reach, double path, double (*between_balls)(const pd_checker *, const scr_specimen *))
{
  size_t count = 0;
  double sum = 0, gap;
  geo_box_pairs found = {0};
  for (size_t i = 0; i < c->scene->specimen_count; i++) count += c->scene->specimens[i].position_count;
  grain *grains = mem_array(count, sizeof *grains);
  geo_box *boxes = mem_array(count, sizeof *boxes);
  if (grains && boxes) {
    count = list_grains(c, grains, boxes);
    if (geo_box_pairs_find(&found, boxes, count, reach + path, NULL) != SCR_OK) found.count = 0;
  }
  for (size_t k = 0; k < found.count; k++) {
    const grain pair[2] = {grains[found.pairs[k].a], grains[found.pairs[k].b]};
    double entries = entries_between(&boxes[found.pairs[k].a], &boxes[found.pairs[k].b], pair, reach, &gap);
    entries = fmin(entries, between_balls(c, pair[0].specimen) / 6); /* of both */
    sum += entries * (gap <= reach ? 1 : arriving_share);
  }
  geo_box_pairs_clear(&found);
  mem_free(grains);
  mem_free(boxes);
  return sum;
}
