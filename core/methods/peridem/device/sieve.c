/* Which marks of bonds stay where strength scatters. */
#include "methods/peridem/device/sieve.h"

#include "base/memory.h"

static scr_status send_laws(pd_state *s, scr_error *error)
{
  double *laws;
  SCR_TRY(mem_allocate(&laws, s->body_count * PD_STRENGTH_NUMBERS, sizeof *laws, "the strengths of bodies", error));
  for (size_t b = 0; b < s->body_count; b++) {
    const pd_strength *strength = &s->bodies[b].strength;
    double *of = laws + PD_STRENGTH_NUMBERS * b;
    of[PD_STRENGTH_CRITICAL] = s->bodies[b].critical_stretch;
    of[PD_STRENGTH_SCALE] = strength->scale;
    of[PD_STRENGTH_PER_MODULUS] = strength->modulus > 0 ? 1 / strength->modulus : 0;
    of[PD_STRENGTH_OF_GRAINS] = strength->of_grains;
  }
  scr_status status = pd_send(s->device, &s->device->sieve.laws, laws, s->body_count * PD_STRENGTH_NUMBERS * sizeof *laws, error);
  mem_free(laws);
  return status;
}

static scr_status send_grains(pd_state *s, scr_error *error)
{
  uint64_t *words;
  size_t bytes = s->grain_count * PD_GRAIN_WORDS * sizeof *words;
  SCR_TRY(mem_allocate(&words, s->grain_count * PD_GRAIN_WORDS, sizeof *words, "the strengths of grains", error));
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->host->grains[g];
    words[PD_GRAIN_WORDS * g + PD_GRAIN_KEY] = pd_strength_key(&s->bodies[grain->body].strength, g);
    words[PD_GRAIN_WORDS * g + PD_GRAIN_FIRST] = grain->first;
  }
  scr_status status = pd_send(s->device, &s->device->sieve.grains, words, bytes, error);
  mem_free(words);
  return status;
}

scr_status pd_sieve_create(pd_state *s, scr_error *error)
{
  pd_device_sieve *sieve = &s->device->sieve;
  for (size_t b = 0; b < s->body_count; b++) sieve->is_used = sieve->is_used || s->bodies[b].strength.modulus > 0;
  if (!sieve->is_used) return SCR_OK;
  SCR_TRY(send_laws(s, error));
  return send_grains(s, error);
}

void pd_sieve_clear(pd_device *d)
{
  device_release(d->device, &d->sieve.laws);
  device_release(d->device, &d->sieve.grains);
}

bool pd_sieve(const pd_state *s)
{
  const pd_device *d = s->device;
  const pd_run_columns *runs = &d->runs;
  const pd_row_columns *rows = &d->rows;
  uint64_t n = s->node_count, run_count = runs->node_count, row_count = rows->node_count;
  const device_argument by_runs[] = {DEVICE_ARRAY(runs->nodes),   DEVICE_ARRAY(runs->counts),  DEVICE_ARRAY(runs->others),
                                     DEVICE_ARRAY(runs->kinds),   DEVICE_ARRAY(runs->classes), DEVICE_ARRAY(d->vector[PD_POSITION]),
                                     DEVICE_ARRAY(d->torn),       DEVICE_ARRAY(d->flags),      DEVICE_ARRAY(d->body),
                                     DEVICE_ARRAY(d->bodies),     DEVICE_ARRAY(d->grain),      DEVICE_ARRAY(d->sieve.grains),
                                     DEVICE_ARRAY(d->sieve.laws), DEVICE_VALUE(run_count),     DEVICE_VALUE(n)};
  const device_argument by_rows[] = {DEVICE_ARRAY(rows->nodes),
                                     DEVICE_ARRAY(rows->counts),
                                     DEVICE_ARRAY(rows->others),
                                     DEVICE_ARRAY(rows->inverse),
                                     DEVICE_ARRAY(d->vector[PD_POSITION]),
                                     DEVICE_ARRAY(d->torn),
                                     DEVICE_ARRAY(d->flags),
                                     DEVICE_ARRAY(d->body),
                                     DEVICE_ARRAY(d->grain),
                                     DEVICE_ARRAY(d->sieve.grains),
                                     DEVICE_ARRAY(d->sieve.laws),
                                     DEVICE_VALUE(row_count),
                                     DEVICE_VALUE(n)};
  if (!d->sieve.is_used) return true;
  pd_run_kernel(s, PD_KERNEL_SIEVE_RUNS, runs->node_count, by_runs, sizeof by_runs / sizeof *by_runs);
  pd_run_kernel(s, PD_KERNEL_SIEVE_ROWS, rows->node_count, by_rows, sizeof by_rows / sizeof *by_rows);
  return pd_take_flag(s, PD_FLAG_PAST);
}
