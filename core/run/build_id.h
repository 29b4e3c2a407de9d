/** Which build of the physics made a recording: two builds of one version may differ in their last bits. */
#ifndef SCREE_RUN_BUILD_ID_H
#define SCREE_RUN_BUILD_ID_H

/** Digits of a digest over the sources of core, the compiler and its flags. The same sources built in the same way have the same, wherever.
 *  Static text. */
const char *build_id(void);

#endif
