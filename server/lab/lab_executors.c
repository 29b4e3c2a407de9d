/* The executors of a lab: made from its configuration, named by jobs, shown to people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/executor/local.h"
#include "server/executor/slurm/slurm.h"
#include "server/lab/lab_internal.h"

enum { SLURM_THREADS = 4096 /* of all jobs there together, where no number is given: the slots bound them */ };

/* What the machine has, or the control group that this process is in. */
static double memory_there(void)
{
  double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  char text[64] = "", *end;
  FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
  if (file && !fgets(text, sizeof text, file)) text[0] = 0;
  if (file) (void)fclose(file);
  double most = strtod(text, &end); /* of the text "max" nothing is read */
  return end != text && most < bytes ? most : bytes;
}

static scr_status add_place(lab *self, executor *made, unsigned slots, scr_error *error)
{
  if (!made) return scr_fail_memory(error, "an executor", sizeof *made);
  self->places[self->place_count++] = (supervisor_place){.executor = made, .slots = slots};
  return SCR_OK;
}

static scr_status add_local(lab *self, const lab_config *config, scr_error *error)
{
  executor_capacity all = {.threads = config->threads ? config->threads : config->slots * self->config.threads_per_job,
                           .memory_bytes = (double)self->config.memory_bytes};
  return add_place(self, executor_local_create(&all), config->slots, error);
}

static scr_status add_slurm(lab *self, const lab_config *config, scr_error *error)
{
  const slurm_config wanted = {.data_directory = self->data.path,
                               .threads = config->threads ? config->threads : SLURM_THREADS,
                               .options = config->slurm_options,
                               .poll_seconds = config->slurm_poll_seconds,
                               .signal_seconds = config->slurm_signal_seconds,
                               .log = config->log};
  executor *made = NULL;
  SCR_TRY(executor_slurm_create(&wanted, &made, error));
  return add_place(self, made, config->slurm_slots, error);
}

/* One name of the list. */
static scr_status add_named(lab *self, const lab_config *config, const char *name, size_t length, scr_error *error)
{
  for (size_t i = 0; i < self->place_count; i++)
    if (strlen(self->places[i].executor->name) == length && strncmp(self->places[i].executor->name, name, length) == 0)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the executor '%.*s' is named twice", (int)length, name);
  if (length == 5 && strncmp(name, "local", length) == 0) return add_local(self, config, error);
  if (length == 5 && strncmp(name, "slurm", length) == 0) return add_slurm(self, config, error);
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the executor '%.*s' is unknown; there are local and slurm", length < 40 ? (int)length : 40,
                  name);
}

scr_status lab_make_executors(lab *self, const lab_config *config, scr_error *error)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned share = cores > (long)config->slots ? (unsigned)cores / config->slots : 1;
  if (self->config.threads_per_job == 0) self->config.threads_per_job = share;
  if (self->config.memory_bytes == 0) self->config.memory_bytes = (uint64_t)(0.9 * memory_there());
  if (config->executor)
    SCR_TRY(add_place(self, config->executor, config->slots, error));
  else {
    const char *names = config->executors && config->executors[0] ? config->executors : "local";
    for (const char *at = names; *at;) {
      size_t length = strcspn(at, ",");
      SCR_TRY(add_named(self, config, at, length, error));
      at += length + (at[length] == ',');
    }
  }
  for (size_t i = 0; i < self->place_count && config->threads == 0; i++) {
    unsigned threads = self->places[i].executor->capacity(self->places[i].executor).threads;
    if (threads > self->config.threads) self->config.threads = threads;
  }
  return SCR_OK;
}

void lab_destroy_executors(lab *self)
{
  for (size_t i = 0; i < self->place_count; i++)
    if (self->places[i].executor != self->config.executor) self->places[i].executor->destroy(self->places[i].executor);
  self->place_count = 0;
}

executor *lab_find_executor(const lab *self, const char *name)
{
  if (!name || !*name) return self->places[0].executor;
  for (size_t i = 0; i < self->place_count; i++)
    if (strcmp(self->places[i].executor->name, name) == 0) return self->places[i].executor;
  return NULL;
}

unsigned lab_slots(const lab *self)
{
  unsigned slots = 0;
  for (size_t i = 0; i < self->place_count; i++) slots += self->places[i].slots;
  return slots;
}

bool lab_show_executor(lab *self, size_t number, lab_executor *shown)
{
  if (number >= self->place_count) return false;
  executor *where = self->places[number].executor;
  *shown = (lab_executor){.slots = self->places[number].slots};
  snprintf(shown->name, sizeof shown->name, "%s", where->name);
  if (where->report)
    where->report(where, &shown->report);
  else
    shown->report = (executor_report){.available = true, .capacity = where->capacity(where)};
  return true;
}
