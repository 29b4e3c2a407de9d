/* Super-helices laid as a scene says. */
#include "methods/fibre/state/state.h"

/* Curvature and torsion of form helix; nothing of what is straight. A helix begins on its x axis, where the first director lies, too: its
 * binormal is minus the second. */
static void lay_strain(const fibre_specimen *block, helix_strain strain)
{
  strain[0] = strain[1] = strain[2] = 0;
  if (block->form != FIBRE_HELIX) return;
  double radius = block->helix_radius, rise = block->helix_pitch / (2 * M_PI), square = 1 / (radius * radius + rise * rise);
  strain[0] = -radius * square;
  strain[2] = rise * square;
}

void fibre_place_helix(fibre_state *s, const fibre *f)
{
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  helix h = fibre_helix(s, f);
  helix_frame root = fibre_root(s, f);
  helix_strain laid;
  lay_strain(block, laid);
  for (size_t e = f->first_element; e < f->first_element + f->elements; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) {
      double added = a == 0 ? block->natural_curvature : a == 2 ? block->natural_twist : 0;
      s->natural_strain[e][a] = (block->unloaded == FIBRE_UNLOADED_AS_PLACED ? laid[a] : 0) + added;
      s->strain[e][a] = laid[a] + (a == 2 ? 2 * M_PI * block->twist / f->length : 0);
    }
  helix_chain chain;
  rod_frames frames = fibre_frames(&s->frames, f);
  rod_frames own = {frames.director + f->begin, frames.tangent + f->begin, frames.reference + f->begin};
  helix_lay(&h, (const helix_strain *)(s->strain + f->first_element), &root, &chain,
            s->place + ROD_UNKNOWNS * ((size_t)f->first + f->begin), &own);
}
