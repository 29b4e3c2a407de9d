/* Performance profiles as tables and as a picture. */
#include "api/cli/contact/profile.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 440, LEFT = 64, RIGHT = 190, TOP = 20, BOTTOM = 52, COLOURS = 10 };

static const double factors[] = {1, 2, 5, 10, 100, 1000};
static const char *const colours[COLOURS] = {"#1b6ca8", "#d1495b", "#3a7d44", "#e09f3e", "#6a4c93",
                                             "#00798c", "#8d5524", "#c2185b", "#607d8b", "#111111"};

/* Time of the quickest solver that solved a problem; HUGE_VAL when none did. */
static double quickest(const profile *self, size_t problem)
{
  double least = HUGE_VAL;
  for (size_t s = 0; s < self->solver_count; ++s) {
    const profile_run *run = &self->run[problem * self->solver_count + s];
    if (run->solved) least = fmin(least, run->seconds);
  }
  return least;
}

double profile_share(const profile *self, size_t solver, double factor)
{
  size_t within = 0;
  for (size_t p = 0; p < self->problem_count; ++p) {
    const profile_run *run = &self->run[p * self->solver_count + solver];
    within += run->solved && run->seconds <= factor * quickest(self, p);
  }
  return self->problem_count ? (double)within / (double)self->problem_count : 0.0;
}

void profile_write_markdown(const profile *self, FILE *out)
{
  fprintf(
      out,
      "# Contact solvers\n\nMilliseconds of processor time to a relative residual of %g; in brackets the residual of what was left.\n\n",
      self->tolerance);
  fprintf(out, "| problem | contacts |");
  for (size_t s = 0; s < self->solver_count; ++s) fprintf(out, " %s |", self->solver[s]);
  fprintf(out, "\n|---|---|");
  for (size_t s = 0; s < self->solver_count; ++s) fprintf(out, "---|");
  for (size_t p = 0; p < self->problem_count; ++p) {
    fprintf(out, "\n| %s | %zu |", self->problem[p], self->contacts[p]);
    for (size_t s = 0; s < self->solver_count; ++s) {
      const profile_run *run = &self->run[p * self->solver_count + s];
      if (run->solved)
        fprintf(out, " %.3g |", 1e3 * run->seconds);
      else
        fprintf(out, " (%.1e) |", run->residual);
    }
  }
  fprintf(out, "\n\nShare of the %zu problems, in %%, that a solver solves within so many times the quickest one's time.\n\n| solver |",
          self->problem_count);
  for (size_t k = 0; k < sizeof factors / sizeof *factors; ++k) fprintf(out, " %g |", factors[k]);
  fprintf(out, " ever |\n|---|");
  for (size_t k = 0; k <= sizeof factors / sizeof *factors; ++k) fprintf(out, "---|");
  for (size_t s = 0; s < self->solver_count; ++s) {
    fprintf(out, "\n| %s |", self->solver[s]);
    for (size_t k = 0; k < sizeof factors / sizeof *factors; ++k) fprintf(out, " %.0f |", 100.0 * profile_share(self, s, factors[k]));
    fprintf(out, " %.0f |", 100.0 * profile_share(self, s, HUGE_VAL));
  }
  fprintf(out, "\n");
}

/* Largest factor by which a solver that solved a problem was slower than the quickest; at least 10. */
static double largest_factor(const profile *self)
{
  double most = 10.0;
  for (size_t p = 0; p < self->problem_count; ++p)
    for (size_t s = 0; s < self->solver_count; ++s) {
      const profile_run *run = &self->run[p * self->solver_count + s];
      if (run->solved && quickest(self, p) > 0.0) most = fmax(most, run->seconds / quickest(self, p));
    }
  return most;
}

static double place_x(double factor, double most)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * log(factor) / log(most);
}

static double place_y(double share)
{
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static void write_axes(double most, FILE *out)
{
  fprintf(out, "<g stroke=\"#ccc\" font-size=\"12\" font-family=\"sans-serif\">\n");
  for (int k = 0; k <= 5; ++k)
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text stroke=\"none\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
            LEFT, WIDTH - RIGHT, place_y(0.2 * k), place_y(0.2 * k), LEFT - 8, place_y(0.2 * k) + 4, 20 * k);
  for (int decade = 0; pow(10.0, decade) <= most; ++decade) {
    double factor = pow(10.0, decade);
    fprintf(
        out,
        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text stroke=\"none\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
        place_x(factor, most), place_x(factor, most), TOP, HEIGHT - BOTTOM, place_x(factor, most), HEIGHT - BOTTOM + 18, factor);
  }
  fprintf(out, "<text stroke=\"none\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">time over the quickest solver's</text>\n",
          (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
  fprintf(out, "<text stroke=\"none\" transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">problems solved, %%</text>\n</g>\n",
          (TOP + HEIGHT - BOTTOM) / 2);
}

void profile_write_svg(const profile *self, FILE *out)
{
  enum { STEPS = 240 };
  double most = largest_factor(self);
  fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH, HEIGHT, WIDTH,
          HEIGHT);
  fprintf(out, "<title>Performance profiles of contact solvers</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  write_axes(most, out);
  for (size_t s = 0; s < self->solver_count; ++s) {
    const char *colour = colours[s % COLOURS], *dashes = s >= COLOURS ? " stroke-dasharray=\"6 4\"" : "";
    fprintf(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\"%s points=\"", colour, dashes);
    for (int k = 0; k <= STEPS; ++k) {
      double factor = pow(most, (double)k / STEPS);
      fprintf(out, "%.1f,%.1f ", place_x(factor, most), place_y(profile_share(self, s, factor)));
    }
    int y = TOP + 14 + 20 * (int)s;
    fprintf(
        out,
        "\"/>\n<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke-width=\"2\" stroke=\"%s\"%s/><text x=\"%d\" y=\"%d\" font-size=\"12\" "
        "font-family=\"sans-serif\">%s</text>\n",
        WIDTH - RIGHT + 16, WIDTH - RIGHT + 44, y, y, colour, dashes, WIDTH - RIGHT + 52, y + 4, self->solver[s]);
  }
  fprintf(out, "</svg>\n");
}
