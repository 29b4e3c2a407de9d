#include "tests/support/store_case.h"

#include <stdlib.h>

#include "tests/support/folder.h"

int store_case_set_up(void **state)
{
  store_case *f = calloc(1, sizeof *f);
  if (!f) return 1;
  f->folder = folder_create();
  f->path = folder_path(f->folder, "scree.db");
  *state = f;
  return store_open(f->path, &f->store, NULL) == SCR_OK ? 0 : 1;
}

int store_case_tear_down(void **state)
{
  store_case *f = *state;
  store_close(f->store);
  free(f->path);
  folder_remove(f->folder);
  free(f);
  return 0;
}
