/* Libraries of devices' makers, found at run time. */
#include "device/library.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool library_load(const char *const *libraries, const library_function *functions, size_t count, void *table, char *reason, size_t capacity)
{
  void *library = NULL;
  const char *name = NULL;
  for (size_t k = 0; libraries[k] && !library; k++) library = dlopen(name = libraries[k], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *said = dlerror();
    snprintf(reason, capacity, "%s", said ? said : "it is not there");
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    void *address = dlsym(library, functions[k].name);
    if (!address) {
      snprintf(reason, capacity, "%s has no %s: it is too old", name, functions[k].name);
      return false;
    }
    memcpy((char *)table + functions[k].offset, &address, sizeof address); /* C has no cast from data to functions */
  }
  return true;
}

void library_note(device_list *list, const char *format, ...)
{
  va_list arguments;
  if (list->note_count == sizeof list->note / sizeof *list->note) return;
  va_start(arguments, format);
  vsnprintf(list->note[list->note_count++], sizeof list->note[0], format, arguments);
  va_end(arguments);
}
