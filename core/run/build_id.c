/* The build's digest, which the Makefile writes into a generated header. Alone in this file, so that little is compiled anew when it
 * changes. */
#include "run/build_id.h"

#include "build_digest.h"

const char *build_id(void)
{
  return BUILD_DIGEST;
}
