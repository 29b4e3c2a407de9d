/* A mode as a picture: the faces of the surface that look at the viewer, from far to near, coloured by how far they move. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "methods/fem/coarsen/task/task.h"

enum { picture_size = 480, picture_margin = 24, title_height = 28 };

/* One face as it is drawn. */
typedef struct drawn_face {
  double corner[4][2]; /* on the plane of the picture, m */
  double depth, share; /* m towards the viewer; 0 ... 1 of the largest displacement */
  size_t number;
} drawn_face;

static const double right_direction[3] = {0.848, 0.530, 0}, up_direction[3] = {-0.228, 0.365, 0.903},
                    view_direction[3] = {0.478, -0.765, 0.430};

static double along(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int by_depth(const void *left, const void *right)
{
  const drawn_face *a = left, *b = right;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* @return whether it looks at the viewer */
static bool project(const coarsening_state *s, size_t mode, double factor, size_t f, drawn_face *face)
{
  double area = 0;
  *face = (drawn_face){.number = f};
  for (int k = 0; k < 4; k++) {
    size_t at = 3 * (size_t)s->surface.face[f][k];
    double x[3], u[3];
    for (size_t i = 0; i < 3; i++) {
      u[i] = factor * s->fine.modes.shape[mode * s->fine.modes.size + at + i];
      x[i] = s->fine.system.rest[at + i] + u[i];
    }
    face->corner[k][0] = along(x, right_direction);
    face->corner[k][1] = along(x, up_direction);
    face->depth += 0.25 * along(x, view_direction);
    face->share += 0.25 * sqrt(along(u, u));
  }
  for (int k = 0; k < 4; k++) {
    const double *a = face->corner[k], *b = face->corner[(k + 1) % 4];
    area += a[0] * b[1] - a[1] * b[0];
  }
  return area > 0;
}

/* From light blue at rest to dark red where it moves most. */
static void add_colour(text_builder *text, double share)
{
  static const double rest[3] = {222, 232, 242}, most[3] = {176, 42, 48};
  int colour[3];
  for (int k = 0; k < 3; k++) colour[k] = (int)lround(rest[k] + fmin(share, 1) * (most[k] - rest[k]));
  text_add_format(text, "#%02x%02x%02x", (unsigned)colour[0], (unsigned)colour[1], (unsigned)colour[2]);
}

static void add_faces(text_builder *text, const drawn_face *faces, size_t count, double most)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t f = 0; f < count; f++)
    for (int k = 0; k < 8; k++) {
      low[k % 2] = fmin(low[k % 2], faces[f].corner[k / 2][k % 2]);
      high[k % 2] = fmax(high[k % 2], faces[f].corner[k / 2][k % 2]);
    }
  double scale = (picture_size - 2 * picture_margin) / fmax(high[0] - low[0], high[1] - low[1]);
  for (size_t f = 0; f < count; f++) {
    text_add_string(text, "<polygon fill=\"");
    add_colour(text, faces[f].share / most);
    text_add_string(text, "\" points=\"");
    for (int k = 0; k < 4; k++)
      text_add_format(text, "%s%.1f,%.1f", k ? " " : "", picture_margin + scale * (faces[f].corner[k][0] - low[0]),
                      title_height + picture_margin + scale * (high[1] - faces[f].corner[k][1]));
    text_add_string(text, "\"/>\n");
  }
}

char *coarsening_picture(const coarsening_state *s, size_t mode)
{
  drawn_face *faces = mem_array(s->surface.face_count, sizeof *faces);
  text_builder text = {0};
  double factor = coarsening_drawn_by(s, mode), most = 0;
  size_t count = 0;
  if (!faces) return NULL;
  for (size_t f = 0; f < s->surface.face_count; f++) count += project(s, mode, factor, f, &faces[count]);
  for (size_t f = 0; f < count; f++) most = fmax(most, faces[f].share);
  qsort(faces, count, sizeof *faces, by_depth);
  text_add_format(&text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"14\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\">Mode %zu: %.5g Hz</text>\n"
                  "<g stroke=\"#333\" stroke-width=\"0.4\" stroke-linejoin=\"round\">\n",
                  picture_size, picture_size + title_height, picture_margin, mode + 1, fem_mode_frequency(&s->fine.modes, mode));
  add_faces(&text, faces, count, most);
  text_add_string(&text, "</g>\n</svg>\n");
  mem_free(faces);
  return text_take(&text);
}
