/* Friction in an implicit step: the contacts that may slide, seen from the step's start. */
#include "base/memory.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/implicit/step_problem.h"

bdem_slide_view bdem_step_slide_view(const bdem_step_problem *p)
{
  const bdem_contacts *contacts = p->body->contacts;
  const bdem_friction *f = contacts->friction;
  return (bdem_slide_view){contacts, p->body, f->start ? f->start : p->start, f->start ? f->turned : p->turned};
}

static bool has_friction(const bdem_body *body)
{
  return body->contacts && body->contacts->friction;
}

scr_status bdem_step_friction_list(bdem_step_problem *p, scr_error *error)
{
  if (!has_friction(p->body)) return SCR_OK;
  bdem_slide_view view = bdem_step_slide_view(p);
  SCR_TRY(bdem_slides_list(&view, error));
  size_t count = p->body->contacts->friction->slide_count;
  bool ok = mem_grow(&p->origin.slides, &p->origin.slide_capacity, count, sizeof *p->origin.slides);
  return ok ? SCR_OK : scr_fail_memory(error, "the contacts' friction", count * sizeof *p->origin.slides);
}

bool bdem_step_has_friction(const bdem_step_problem *p)
{
  return has_friction(p->body) && p->body->contacts->friction->slide_count > 0;
}

void bdem_step_friction_curve(bdem_step_problem *p)
{
  p->origin.slide_count = 0;
  if (!bdem_step_has_friction(p)) return;
  bdem_slide_view view = bdem_step_slide_view(p);
  bdem_slides_curve(&view, p->origin.slides);
  p->origin.slide_count = p->body->contacts->friction->slide_count;
}

void bdem_step_friction_reach(const bdem_step_problem *p)
{
  if (!bdem_step_has_friction(p)) return;
  bdem_slide_view view = bdem_step_slide_view(p);
  bdem_slides_reach(&view);
}
