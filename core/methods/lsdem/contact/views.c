/* Views of grains: what contacts read of them, made once a step. */
#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/contact/query.h"

/* Of grains whose modes are all affine: 1/J and the shift. */
static void invert_view(lsdem_view *view, lsdem_unbent *unbent)
{
  const lsdem_template *shape = view->grain;
  view->affine = unbent && shape->mode_count > 0;
  for (size_t a = 0; a < shape->mode_count; a++) view->affine = view->affine && shape->modes[a].kind == LSDEM_MODE_AFFINE;
  if (!view->affine || !unbent) return;
  *unbent = (lsdem_unbent){0};
  view->unbent = unbent;
  scr_matrix3 j = matrix_identity(), g;
  for (size_t a = 0; a < shape->mode_count; a++) {
    unbent->shift = vec3_add(unbent->shift, vec3_scale(lsdem_mode_gradient(&shape->modes[a], vec3(0, 0, 0), &g), view->amplitude[a]));
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) j.m[r][c] += view->amplitude[a] * g.m[r][c];
  }
  double det = matrix_determinant(&j);
  view->singular = !(det > 0.1);
  scr_matrix3 cofactors = matrix_cofactors(&j);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) unbent->back.m[r][c] = cofactors.m[c][r] / det;
}

void lsdem_make_views(lsdem_state *s)
{
  for (size_t i = 0; i < s->grain_count; i++) {
    lsdem_grain *grain = &s->grains[i];
    const lsdem_template *shape = &s->templates[grain->shape];
    lsdem_view *view = &s->views[i];
    *view = (lsdem_view){.travel = grain->travel,
                         .turned = grain->turned,
                         .bent = grain->bent,
                         .grain = shape,
                         .position = grain->position,
                         .rotation = matrix_of(grain->rotation),
                         .velocity = grain->velocity,
                         .spin = lsdem_spin(s, grain),
                         .amplitude = s->amplitude + grain->first,
                         .rate = s->rate + grain->first,
                         .deformed = s->followed && s->followed[i].field.value ? &s->followed[i].field : NULL};
    for (size_t a = 0; a < shape->mode_count; a++) {
      view->moved += 1.2 * fabs(view->amplitude[a]) * shape->mode_peak[a];
      view->strain += 1.2 * fabs(view->amplitude[a]) * shape->mode_slope[a];
    }
    view->most_moved = grain->most_moved = fmax(grain->most_moved, view->moved);
    lsdem_view_rigid(view);
    invert_view(view, s->unbent ? &s->unbent[i] : NULL);
  }
}
