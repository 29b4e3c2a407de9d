/** The methods that scenes can name. */
#ifndef SCREE_METHODS_METHODS_H
#define SCREE_METHODS_METHODS_H

#include "sim/method.h"

/** The methods there are, ended by NULL, in the order in which they are offered. A new method is one line in methods.c, which holds nothing
 *  else: a program that links another definition before the library has other methods. */
extern const scr_method *const scr_methods[];

#endif
