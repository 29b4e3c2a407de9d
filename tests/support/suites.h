/** Suites of one area in one program. Each file of a folder of tests/unit or tests/validation ends with
 *
 *      SUITE(test_name)        the file's own name
 *      {
 *        const struct CMUnitTest tests[] = {...};
 *        return cmocka_run_group_tests(tests, NULL, NULL);
 *      }
 *
 *  and make links a folder's files into one program, with a main() that lists them. The program runs the suites that it is given by name,
 * or the one that it is called by through a link (build/tests/unit/test_name), or all. An argument that begins with '-' is none of a suite:
 * the first suite gets the arguments as they are, for test programs that start themselves as another's process. */
#ifndef SCREE_TESTS_SUPPORT_SUITES_H
#define SCREE_TESTS_SUPPORT_SUITES_H

#include <stddef.h>

/** Defines a suite. It gets the program's arguments and returns the number of its cases that failed. */
#define SUITE(name)                                                                                                                        \
  int name(int argc, char **argv);                                                                                                         \
  int name(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

typedef struct suite {
  const char *name; /* borrowed */
  int (*run)(int argc, char **argv);
} suite;

/** Runs suites as the arguments say; several each in a process of its own, so that one that dies does not end the others.
 *  @param suites borrowed, of one program    @return exit status: 0 all pass, 1 one fails or died, 2 no suite has that name */
int suites_main(const suite *suites, size_t count, int argc, char **argv);

#endif
