/* Loading the played CUDA libraries. */
#include "tests/support/played_cuda/played_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library of build/tests/played; it stays loaded, and whoever asks for its name gets it. */
static void *load(const char *name)
{
  char path[4096];
  const char *build = getenv("SCREE_BUILD");
  snprintf(path, sizeof path, "%s/tests/played/%s", build ? build : "build", name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

int played_cuda_load(played_cuda *played, const char *driver, const char *compiler)
{
  void *of_driver = load(driver), *of_compiler = compiler ? load(compiler) : NULL;
  const struct {
    void *library;
    const char *name;
    void *to;
  } words[] = {{of_driver, "played_break_at", &played->break_at},
               {of_driver, "played_have", &played->have},
               {of_driver, "played_log", &played->log},
               {of_driver, "played_forget", &played->forget},
               {of_driver, "played_count", &played->counts},
               {of_compiler, "played_compile_for", &played->compile_for},
               {of_compiler, "played_break_compiler", &played->break_compiler},
               {of_compiler, "played_architecture", &played->architecture}};
  memset(played, 0, sizeof *played);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    void *address = words[k].library ? dlsym(words[k].library, words[k].name) : NULL;
    memcpy(words[k].to, &address, sizeof address);
  }
  return played->break_at && (played->compile_for || !compiler);
}
