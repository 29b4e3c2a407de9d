/* Friction between bodies that meet by faces. */
#include "base/memory.h"
#include "methods/peridem/host/contact/pair_faces.h"

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

void pd_strip_begin(pd_spring_strip *strip)
{
  pd_spring_strip was = *strip;
  *strip = (pd_spring_strip){was.before, was.now, 0, was.before_capacity, was.count, was.capacity, 0};
}

/* Each pair is seen from both ends: half the heat. */
void pd_strip_end(const pd_spring_strip *strip, double *heat)
{
  for (size_t k = 0; k < strip->before_count; k++) {
    const pd_pair_spring *old = &strip->before[k];
    if (old->stiffness > 0) *heat += 0.25 * old->stiffness * vec3_dot(old->stretched, old->stretched); /* not found again: it has parted */
  }
}

static pd_pair_spring *find(pd_spring_strip *strip, size_t *walk, size_t i, size_t j)
{
  while (*walk < strip->before_count && strip->before[*walk].near < i) ++*walk;
  for (size_t k = *walk; k < strip->before_count && strip->before[k].near == i; k++)
    if (strip->before[k].far == j) return &strip->before[k];
  return NULL;
}

/* Way of i relative to j since the force pass before, of their bodies at the middle, with the arm that they had midway. */
static scr_vec3 displacement_of(const pd_state *s, size_t i, size_t j)
{
  const pd_facing *f = s->host->facing;
  scr_vec3 apart = vec3_sub(pd_predicted_displacement(s, i), pd_predicted_displacement(s, j));
  scr_vec3 d = vec3_add(vec3_sub(at(&s->host->position, j), at(&s->host->position, i)), vec3_scale(apart, 0.5));
  return vec3_add(apart, vec3_cross(vec3_add(f->turn[i], f->turn[j]), vec3_scale(d, 0.5)));
}

bool pd_pair_hold(pd_state *s, pd_spring_strip *strip, size_t *walk, size_t i, size_t j, const pd_pair *pair, pd_pair_held *held)
{
  *held = (pd_pair_held){0};
  if (!mem_grow(&strip->now, &strip->capacity, strip->count + 1, sizeof *strip->now)) return false;
  pd_pair_spring *spring = &strip->now[strip->count++], *old = find(strip, walk, i, j);
  *spring = (pd_pair_spring){.near = (uint32_t)i, .far = (uint32_t)j, .stiffness = 0.8 * pair->stiffness};
  s->host->facing->held[i] = 1;
  if (!old || !(spring->stiffness > 0)) return true;
  scr_vec3 n = pair->normal, displacement = displacement_of(s, i, j), tried = vec3_add(old->stretched, displacement);
  tried = vec3_sub(tried, vec3_scale(n, vec3_dot(tried, n)));
  double length = vec3_length(tried), most = pair->law->friction_coefficient * pair->pressing / spring->stiffness;
  spring->stretched = length > most ? vec3_scale(tried, most / length) : tried;
  scr_vec3 acts = vec3_scale(spring->stretched, -spring->stiffness);
  scr_vec3 mean = vec3_scale(vec3_sub(acts, vec3_scale(old->stretched, old->stiffness)), 0.5);
  held->heat = 0.5 * (-vec3_dot(mean, displacement) + 0.5 * old->stiffness * vec3_dot(old->stretched, old->stretched) -
                      0.5 * spring->stiffness * vec3_dot(spring->stretched, spring->stretched));
  old->stiffness = 0; /* found */
  held->size = spring->stiffness * vec3_length(spring->stretched);
  held->friction[0] = acts.x, held->friction[1] = acts.y, held->friction[2] = acts.z;
  return true;
}

scr_vec3 pd_pair_friction(const pd_state *s, size_t i, size_t j)
{
  const pd_facing *f = s->host->facing;
  const pd_spring_strip *strip = f && f->strip ? &f->strip[i / PD_STRIP] : NULL;
  size_t low = 0, high = strip ? strip->count : 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (strip->now[middle].near < i)
      low = middle + 1;
    else
      high = middle;
  }
  for (; strip && low < strip->count && strip->now[low].near == i; low++)
    if (strip->now[low].far == j) return vec3_scale(strip->now[low].stretched, -strip->now[low].stiffness);
  return vec3(0, 0, 0);
}

/* Of a block's strips. */
static void strips_energy(const void *user, size_t begin, size_t end, double *sum)
{
  const pd_facing *f = user;
  for (size_t k = begin / PD_STRIP; k * PD_STRIP < end; k++)
    for (size_t n = 0; n < f->strip[k].count; n++) {
      const pd_pair_spring *spring = &f->strip[k].now[n];
      *sum += 0.25 * spring->stiffness * vec3_dot(spring->stretched, spring->stretched);
    }
}

double pd_pair_springs_energy(const pd_state *s)
{
  const pd_facing *f = s->host->facing;
  double total = 0;
  if (f && f->strip) pd_sum_nodes(s, 1, strips_energy, f, &total);
  return total;
}
