/** Quantities that people write with a unit, "1 mm" or "2.5 g/cm^3", turned into the unit a number is kept in.
 *
 *  A quantity is a decimal number and a unit. A unit is a product of symbols: m, g, s, min, h, N, Pa, bar, J, W, Hz, rad, deg, rpm, t, with
 *  the prefixes f p n u (or µ) m c d h k M G T where SI has them, with powers (m^3, m3, m³, s^-1), after "/" or "·", "*" or a blank. A "/"
 *  concerns the one symbol after it. Case matters. An angle is a dimension of its own here: 60 rpm are 6.28 rad/s, but 1 Hz is not. */
#ifndef SCREE_BASE_UNIT_H
#define SCREE_BASE_UNIT_H

#include <stdbool.h>

typedef enum unit_reading {
  UNIT_READ,         /**< the number was converted */
  UNIT_NO_NUMBER,    /**< the text does not begin with a number */
  UNIT_MISSING,      /**< it is a number alone */
  UNIT_UNKNOWN,      /**< the unit has a symbol that is not known, or is not written as above */
  UNIT_OF_OTHER_KIND /**< the unit is known and can't be turned into the wanted one */
} unit_reading;

/** Reads `text` as a quantity and gives its number in `unit`.
 *  @param unit  what the number is kept in, such as "Pa"; one for which unit_can_be_given holds
 *  @param value receives it on UNIT_READ: correctly rounded where the units differ by a power of ten ("20 us" is the double nearest to
 *  2e-5),
 *               else to the last place or two. May be infinite when the text is. */
unit_reading unit_read(const char *text, const char *unit, double *value);

/** Whether quantities can be given for numbers of this unit: it has a dimension. False for "1", "" and texts that are no unit. */
bool unit_can_be_given(const char *unit);

/** A quantity that may be given for the unit, as an example for people: "1 mm" for "m", "5 J/m^2" for "J/m^2". Constant or written into
 *  `buffer`. Only where unit_can_be_given holds. */
const char *unit_example(const char *unit, char buffer[static 40]);

#endif
