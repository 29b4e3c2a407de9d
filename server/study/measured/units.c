/* Units as testing machines write them: SI with prefixes by base/unit.h, and names that are in use beside them. */
#include <stdio.h>
#include <string.h>

#include "base/unit.h"
#include "server/study/measured/measured.h"

static const struct {
  const char *written, *unit;
  double factor;
} others[] = {
    {"%", "1", 0.01},
    {"-", "1", 1},
    {"1", "1", 1},
    {"mm/mm", "1", 1},
    {"m/m", "1", 1},
    {"microstrain", "1", 1e-6},
    {"sec", "s", 1},
    {"Sec", "s", 1},
    {"sec.", "s", 1},
    {"Sek", "s", 1},
    {"Sek.", "s", 1},
    {"seconds", "s", 1},
    {"KN", "N", 1e3},
    {"Newton", "N", 1},
    {"MM", "m", 1e-3},
    {"Mpa", "Pa", 1e6},
    {"kgf", "N", 9.80665},
    {"lbf", "N", 4.4482216152605},
    {"kip", "N", 4448.2216152605},
    {"in", "m", 0.0254},
    {"inch", "m", 0.0254},
    {"psi", "Pa", 6894.757293168361},
    {"ksi", "Pa", 6894757.293168361},
    {"K", "K", 1},
};
static const char *const units[] = {"m",     "N",   "s",   "Pa",  "N m",    "kg",    "rad",  "W",   "Hz",    "m/s",
                                    "m/s^2", "N/m", "m^2", "m^3", "kg/m^3", "rad/s", "Pa/s", "N/s", "J/m^2", "N m/rad"};

bool measured_unit(const char *written, char unit[static MEASURED_UNIT_BYTES], double *factor)
{
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (strcmp(others[i].written, written) != 0) continue;
    snprintf(unit, MEASURED_UNIT_BYTES, "%s", others[i].unit);
    *factor = others[i].factor;
    return true;
  }
  char text[MEASURED_UNIT_BYTES + 8];
  unit[0] = 0;
  *factor = 1;
  if (!written[0] || strlen(written) >= MEASURED_UNIT_BYTES) return false;
  snprintf(text, sizeof text, "1 %s", written);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const char *wanted = strcmp(units[i], "N m") == 0 && strchr(written, 'J') ? "J" : units[i];
    if (unit_read(text, wanted, factor) != UNIT_READ) continue;
    snprintf(unit, MEASURED_UNIT_BYTES, "%s", wanted);
    return true;
  }
  *factor = 1;
  return false;
}
