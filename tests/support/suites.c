#include "tests/support/suites.h"

#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const suite *find(const suite *suites, size_t count, const char *name)
{
  for (size_t k = 0; k < count; k++)
    if (strcmp(suites[k].name, name) == 0) return &suites[k];
  return NULL;
}

static bool passes_in_a_process(const suite *one, int argc, char **argv)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(one->run(argc, argv) == 0 && fflush(NULL) == 0 ? 0 : 1);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) < 0) return false;
  if (WIFSIGNALED(status)) fprintf(stderr, "%s: signal %d\n", one->name, WTERMSIG(status));
  return status == 0;
}

int suites_main(const suite *suites, size_t count, int argc, char **argv)
{
  const char *slash = strrchr(argv[0], '/'), *called = slash ? slash + 1 : argv[0];
  const suite *own = find(suites, count, called);
  if (getenv("SCREE_CASE")) cmocka_set_test_filter(getenv("SCREE_CASE"));
  if (argc > 1 && argv[1][0] == '-') own = &suites[0];
  if (own) return own->run(argc, argv) == 0 ? 0 : 1;
  for (int k = 1; k < argc; k++) {
    if (find(suites, count, argv[k])) continue;
    fprintf(stderr, "%s: no suite '%s'; there are:", called, argv[k]);
    for (size_t s = 0; s < count; s++) fprintf(stderr, " %s", suites[s].name);
    fprintf(stderr, "\n");
    return 2;
  }
  bool passes = true;
  for (size_t s = 0; s < count; s++) {
    bool wanted = argc == 1;
    for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], suites[s].name) == 0;
    if (wanted && !passes_in_a_process(&suites[s], argc, argv)) passes = false;
  }
  return passes ? 0 : 1;
}
