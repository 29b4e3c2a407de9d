/* The source of the device's kernels. */
#include "methods/peridem/device/kernels.h"

const char *const pd_kernel_names[PD_KERNEL_COUNT] = {[PD_KERNEL_PREDICT] = "predict",
                                                      [PD_KERNEL_KICK] = "kick",
                                                      [PD_KERNEL_SUMS] = "block_sums",
                                                      [PD_KERNEL_RUNS] = "bond_runs",
                                                      [PD_KERNEL_ROWS] = "bond_rows",
                                                      [PD_KERNEL_DROP] = "drop",
                                                      [PD_KERNEL_REWRITE] = "rewrite",
                                                      [PD_KERNEL_INSPECT] = "inspect",
                                                      [PD_KERNEL_MOVED] = "moved",
                                                      [PD_KERNEL_PAIRS] = "pairs",
                                                      [PD_KERNEL_NEAR] = "near_planes",
                                                      [PD_KERNEL_COPY] = "copy_all",
                                                      [PD_KERNEL_PACK] = "pack",
                                                      [PD_KERNEL_UNPACK] = "unpack",
                                                      [PD_KERNEL_PUT] = "put",
                                                      [PD_KERNEL_PAIR_DAMPERS] = "pair_dampers",
                                                      [PD_KERNEL_SCATTER] = "scatter_shares",
                                                      [PD_KERNEL_DAMP_PAIRS] = "damp_pairs",
                                                      [PD_KERNEL_PAIR_HEAT] = "pair_heat",
                                                      [PD_KERNEL_COUNT_MARKED] = "count_marked",
                                                      [PD_KERNEL_TAKE_MARKED] = "take_marked",
                                                      [PD_KERNEL_DRAG] = "drag",
                                                      [PD_KERNEL_APPLY] = "apply_impulses",
                                                      [PD_KERNEL_SIEVE_RUNS] = "sieve_runs",
                                                      [PD_KERNEL_SIEVE_ROWS] = "sieve_rows"};

#pragma GCC diagnostic ignored "-Woverlength-strings"
#define SOURCE(...) #__VA_ARGS__

const char pd_kernel_source[] = SOURCE(

    FUNCTION double inverse_root(double a) {
      double y = AS_DOUBLE((ulong_t)0x5FE6EB50C7B537A9 - (AS_BITS(a) >> 1));
      double h = fma(-(a * y), y, 1.0);
      y = y * fma(fma(fma(0.3130542674010745, h, 0.37627937880251372), h, 0.50000042357363228), h, 0.99999925319443317);
      h = fma(-(a * y), y, 1.0);
      return fma(y * h, fma(0.375, h, 0.5), y);
    }

    FUNCTION double square_of(double x, double y, double z) { return fma(x, x, fma(y, y, z * z)); }

    /* u += dt v + dt^2 / 2 a; x = X + u: one item a component */
    KERNEL void predict(GLOBAL const double *X, GLOBAL double *u, GLOBAL double *x, GLOBAL const double *v, GLOBAL const double *a,
                        double dt, ulong_t n) {
      size_t i = ITEM();
      if (i >= 3 * n) return;
      double moved = u[i] + (dt * v[i] + 0.5 * dt * dt * a[i]);
      u[i] = moved;
      x[i] = X[i] + moved;
    }

    /* a_new = F / m + g; v += dt / 2 (a + a_new): one item a component. path: what gravity's work needs, where it acts */
    KERNEL void kick(GLOBAL const double *F, GLOBAL double *v, GLOBAL double *a, GLOBAL double *path, GLOBAL const unsigned int *body,
                     GLOBAL const double *bodies, double gx, double gy, double gz, double dt, ulong_t n) {
      size_t i = ITEM();
      if (i >= 3 * n) return;
      size_t axis = i / n;
      size_t node = i - axis * n;
      double g = axis == 0 ? gx : axis == 1 ? gy : gz;
      double next = F[i] * bodies[4 * (size_t)body[node] + 3];
      if (g != 0) next = next + g;
      double gain = 0.5 * dt * (a[i] + next);
      if (g != 0) path[i] = v[i] + 0.5 * gain;
      v[i] = v[i] + gain;
      a[i] = next;
    }

    /* The host's sums of a kick, block by block: gravity's work and the energy of motion. One item a block; grains lie one after the other
     */
    KERNEL void block_sums(GLOBAL const double *v, GLOBAL const double *path, GLOBAL const unsigned int *grain,
                           GLOBAL const unsigned int *body, GLOBAL const double *bodies, double gx, double gy, double gz, double dt,
                           GLOBAL double *sums, ulong_t block, ulong_t n) {
      size_t b = ITEM();
      size_t begin = b * block;
      if (begin >= n) return;
      size_t end = begin + block < n ? begin + block : n;
      double gravity = 0;
      double kinetic = 0;
      while (begin < end) {
        size_t last = begin;
        double mass = bodies[4 * (size_t)body[begin] + 2];
        double work = 0;
        double sum = 0;
        while (last < end && grain[last] == grain[begin]) last++;
        for (int axis = 0; axis < 3; axis++) {
          double g = axis == 0 ? gx : axis == 1 ? gy : gz;
          double total = 0;
          if (g == 0) continue;
          for (size_t i = begin; i < last; i++) total += path[axis * n + i];
          work += mass * g * dt * total;
        }
        gravity += work;
        for (size_t i = begin; i < last; i++) sum += v[i] * v[i] + v[n + i] * v[n + i] + v[2 * n + i] * v[2 * n + i];
        kinetic += 0.5 * mass * sum;
        begin = last;
      }
      sums[2 * b] = gravity;
      sums[2 * b + 1] = kinetic;
    }

    /* Bonds in runs: a node's parts, each summed from zero, in the host's order; lists.h */
    KERNEL void bond_runs(GLOBAL const unsigned int *node, GLOBAL const unsigned int *count, GLOBAL const unsigned int *other,
                          GLOBAL const unsigned int *kind, GLOBAL const double *kinds, GLOBAL const double *x, GLOBAL double *F,
                          GLOBAL unsigned int *torn, GLOBAL unsigned int *flags, GLOBAL const unsigned int *body,
                          GLOBAL const double *bodies, ulong_t stride, ulong_t n) {
      size_t k = ITEM();
      if (k >= stride) return;
      size_t i = node[k];
      unsigned int end = count[k];
      double px = x[i];
      double py = x[n + i];
      double pz = x[2 * n + i];
      double tx = 0;
      double ty = 0;
      double tz = 0;
      double sx = 0;
      double sy = 0;
      double sz = 0;
      int past = 0;
      for (unsigned int e = 0; e < end; e++, k += stride) {
        unsigned int w = kind[k];
        size_t j = other[k];
        GLOBAL const double *of = kinds + 4 * (size_t)(w >> 1);
        if (w & 1) {
          tx += sx;
          ty += sy;
          tz += sz;
          sx = 0;
          sy = 0;
          sz = 0;
        }
        double dx = x[j] - px;
        double dy = x[n + j] - py;
        double dz = x[2 * n + j] - pz;
        double r2 = square_of(dx, dy, dz);
        double y = inverse_root(r2);
        double f = of[3] != 0 ? of[1] * (of[2] - y) : fma(-of[1], y, of[2]);
        past |= r2 > of[0];
        sx = fma(f, dx, sx);
        sy = fma(f, dy, sy);
        sz = fma(f, dz, sz);
      }
      tx += sx;
      ty += sy;
      tz += sz;
      double stiffness = bodies[4 * (size_t)body[i]];
      F[i] = stiffness * tx;
      F[n + i] = stiffness * ty;
      F[2 * n + i] = stiffness * tz;
      if (past) {
        torn[i] = 1;
        flags[0] = 1;
      }
    }

    /* Bonds in rows: eight lanes by slot, folded by halves */
    KERNEL void bond_rows(GLOBAL const unsigned int *node, GLOBAL const unsigned int *count, GLOBAL const unsigned int *other,
                          GLOBAL const double *inverse, GLOBAL const double *weight, int weighted, GLOBAL const double *x, GLOBAL double *F,
                          GLOBAL unsigned int *torn, GLOBAL unsigned int *flags, GLOBAL const unsigned int *body,
                          GLOBAL const double *bodies, ulong_t stride, ulong_t n) {
      size_t k = ITEM();
      if (k >= stride) return;
      size_t i = node[k];
      unsigned int end = count[k];
      double px = x[i];
      double py = x[n + i];
      double pz = x[2 * n + i];
      double limit = bodies[4 * (size_t)body[i] + 1];
      double sx[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      double sy[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      double sz[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      int past = 0;
      for (unsigned int e = 0; e < end; e++, k += stride) {
        size_t j = other[k];
        double dx = x[j] - px;
        double dy = x[n + j] - py;
        double dz = x[2 * n + j] - pz;
        double y = inverse_root(square_of(dx, dy, dz));
        double f = inverse[k] - y;
        if (weighted) f = f * weight[k];
        past |= inverse[k] > y * limit;
        sx[e & 7] = fma(f, dx, sx[e & 7]);
        sy[e & 7] = fma(f, dy, sy[e & 7]);
        sz[e & 7] = fma(f, dz, sz[e & 7]);
      }
      double stiffness = bodies[4 * (size_t)body[i]];
      F[i] = stiffness * (((sx[0] + sx[4]) + (sx[2] + sx[6])) + ((sx[1] + sx[5]) + (sx[3] + sx[7])));
      F[n + i] = stiffness * (((sy[0] + sy[4]) + (sy[2] + sy[6])) + ((sy[1] + sy[5]) + (sy[3] + sy[7])));
      F[2 * n + i] = stiffness * (((sz[0] + sz[4]) + (sz[2] + sz[6])) + ((sz[1] + sz[5]) + (sz[3] + sz[7])));
      if (past) {
        torn[i] = 1;
        flags[0] = 1;
      }
    }

    FUNCTION ulong_t scramble(ulong_t z) {
      z = z + (ulong_t)0x9e3779b97f4a7c15;
      z = (z ^ (z >> 30)) * (ulong_t)0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * (ulong_t)0x94d049bb133111eb;
      return z ^ (z >> 31);
    }

    /* Whether a bond stretched to r / L = ratio is past its own critical stretch, less 1e-9: the host's pd_strength_factor up to what
     * log1p and pow of devices round otherwise. law: of the body; grain: key and first node */
    FUNCTION int may_break(double ratio, size_t i, size_t j, GLOBAL const double *law, GLOBAL const ulong_t *grain) {
      double factor = 1;
      if (law[2] != 0) {
        ulong_t key = grain[0];
        ulong_t low = (i < j ? i : j) - grain[1];
        ulong_t high = (i < j ? j : i) - grain[1];
        if (law[3] == 0) key = scramble(key ^ (low << 32 | high));
        factor = law[1] * pow(-log1p(-((double)(key >> 12) + 0.5) / 4503599627370496.0), law[2]);
      }
      return ratio > (1 + law[0] * factor) * (1 - 1e-9);
    }

    /* Marks of nodes of which no bond is past a critical stretch of its own are taken off. Where bonds are in runs: by the limit of r^2,
     * which is (L times the body's limit)^2 */
    KERNEL void sieve_runs(GLOBAL const unsigned int *node, GLOBAL const unsigned int *count, GLOBAL const unsigned int *other,
                           GLOBAL const unsigned int *kind, GLOBAL const double *kinds, GLOBAL const double *x, GLOBAL unsigned int *torn,
                           GLOBAL unsigned int *flags, GLOBAL const unsigned int *body, GLOBAL const double *bodies,
                           GLOBAL const unsigned int *grain, GLOBAL const ulong_t *grains, GLOBAL const double *laws, ulong_t stride,
                           ulong_t n) {
      size_t k = ITEM();
      if (k >= stride) return;
      size_t i = node[k];
      if (torn[i] == 0) return;
      unsigned int end = count[k];
      double limit = bodies[4 * (size_t)body[i] + 1];
      int past = 0;
      for (unsigned int e = 0; e < end && !past; e++, k += stride) {
        size_t j = other[k];
        double most = kinds[4 * (size_t)(kind[k] >> 1)];
        double r2 = square_of(x[j] - x[i], x[n + j] - x[n + i], x[2 * n + j] - x[2 * n + i]);
        if (r2 > most) past = may_break(sqrt(r2 / most) * limit, i, j, laws + 4 * (size_t)body[i], grains + 2 * (size_t)grain[i]);
      }
      if (past)
        flags[5] = 1;
      else
        torn[i] = 0;
    }

    /* The same of rows, which have 1 / L */
    KERNEL void sieve_rows(GLOBAL const unsigned int *node, GLOBAL const unsigned int *count, GLOBAL const unsigned int *other,
                           GLOBAL const double *inverse, GLOBAL const double *x, GLOBAL unsigned int *torn, GLOBAL unsigned int *flags,
                           GLOBAL const unsigned int *body, GLOBAL const unsigned int *grain, GLOBAL const ulong_t *grains,
                           GLOBAL const double *laws, ulong_t stride, ulong_t n) {
      size_t k = ITEM();
      if (k >= stride) return;
      size_t i = node[k];
      if (torn[i] == 0) return;
      unsigned int end = count[k];
      int past = 0;
      for (unsigned int e = 0; e < end && !past; e++, k += stride) {
        size_t j = other[k];
        double r = sqrt(square_of(x[j] - x[i], x[n + j] - x[n + i], x[2 * n + j] - x[2 * n + i]));
        past = may_break(r * inverse[k], i, j, laws + 4 * (size_t)body[i], grains + 2 * (size_t)grain[i]);
      }
      if (past)
        flags[5] = 1;
      else
        torn[i] = 0;
    }

    /* Entries of runs whose bonds have broken get the class that does nothing */
    KERNEL void drop(GLOBAL unsigned int *kind, GLOBAL const ulong_t *slot, unsigned int dead, ulong_t count) {
      size_t k = ITEM();
      if (k >= count) return;
      kind[slot[k]] = (kind[slot[k]] & 1) | dead << 1;
    }

    /* Slots of rows as they are now */
    KERNEL void rewrite(GLOBAL unsigned int *other, GLOBAL double *inverse, GLOBAL double *weight, int weighted, GLOBAL const ulong_t *slot,
                        GLOBAL const unsigned int *new_other, GLOBAL const double *new_numbers, ulong_t count) {
      size_t k = ITEM();
      if (k >= count) return;
      other[slot[k]] = new_other[k];
      inverse[slot[k]] = new_numbers[2 * k];
      if (weighted) weight[slot[k]] = new_numbers[2 * k + 1];
    }

    KERNEL void inspect(GLOBAL const double *x, GLOBAL const double *v, GLOBAL unsigned int *flags, ulong_t n) {
      size_t i = ITEM();
      if (i >= n) return;
      double sum = x[i] + x[n + i] + x[2 * n + i] + v[i] + v[n + i] + v[2 * n + i];
      if (!(0 * sum == 0)) flags[1] = 1;
    }

    /* Whether a node is farther than the limit from where it was */
    KERNEL void moved(GLOBAL const double *x, GLOBAL const double *at, double limit, GLOBAL unsigned int *flags, ulong_t n) {
      size_t i = ITEM();
      if (i >= n) return;
      double dx = x[i] - at[i];
      double dy = x[n + i] - at[n + i];
      double dz = x[2 * n + i] - at[2 * n + i];
      if (sqrt(dx * dx + dy * dy + dz * dz) > limit) flags[2] = 1;
    }

    /* The host's pd_pair_touches without faces. of: the numbers of both nodes' bodies; pair receives the direction to j, force, stiffness
     */
    FUNCTION int touches(size_t i, size_t j, GLOBAL const double *x, GLOBAL const double *X, int same, GLOBAL const double *a,
                         GLOBAL const double *b, double modulus, double radius, int by_nodes, double *pair, ulong_t n) {
      double dx = x[j] - x[i];
      double dy = x[n + j] - x[n + i];
      double dz = x[2 * n + j] - x[2 * n + i];
      double r2 = dx * dx + dy * dy + dz * dz;
      if (!(r2 < radius * radius) || r2 == 0) return 0;
      double r = sqrt(r2);
      double volumes = a[0] * b[0];
      double middle = 0.5 * (a[1] + b[1]);
      double zero = by_nodes || radius < middle ? radius : middle;
      double near = same ? radius : by_nodes ? 0 : zero;
      double stiffness = modulus * volumes;
      if (near > 0 && (same || r < zero)) {
        double ex = X[j] - X[i];
        double ey = X[n + j] - X[n + i];
        double ez = X[2 * n + j] - X[2 * n + i];
        double length = sqrt(ex * ex + ey * ey + ez * ez);
        if (length < near) {
          zero = length;
          if (same) stiffness = a[2] * volumes / length;
        }
      }
      if (!(r < zero)) return 0;
      pair[0] = dx / r;
      pair[1] = dy / r;
      pair[2] = dz / r;
      pair[3] = stiffness * (zero - r);
      pair[4] = stiffness;
      return 1;
    }

    /* Repulsion between nodes, row by row; which touch is noted */
    KERNEL void pairs(GLOBAL const unsigned int *first, GLOBAL const unsigned int *other, GLOBAL const double *x, GLOBAL const double *X,
                      GLOBAL const unsigned int *grain, GLOBAL const unsigned int *body, GLOBAL const double *bodies,
                      GLOBAL const double *laws, double radius, int by_nodes, ulong_t materials, GLOBAL double *F,
                      GLOBAL unsigned int *met_count, GLOBAL unsigned int *met, GLOBAL unsigned int *flags, ulong_t n) {
      size_t i = ITEM();
      if (i >= n) return;
      unsigned int found = 0;
      unsigned int from = first[i];
      unsigned int end = first[i + 1];
      double sx = 0;
      double sy = 0;
      double sz = 0;
      double pair[5];
      GLOBAL const double *a = bodies + 4 * (size_t)body[i];
      for (unsigned int k = from; k < end; k++) {
        size_t j = other[k];
        if (j >= 0x80000000u) continue;
        GLOBAL const double *b = bodies + 4 * (size_t)body[j];
        double modulus = laws[3 * ((size_t)a[3] * materials + (size_t)b[3])];
        if (!touches(i, j, x, X, grain[i] == grain[j], a, b, modulus, radius, by_nodes, pair, n)) continue;
        sx -= pair[3] * pair[0];
        sy -= pair[3] * pair[1];
        sz -= pair[3] * pair[2];
        met[from + found] = other[k];
        found++;
      }
      met_count[i] = found;
      if (!found) return;
      F[i] += sx;
      F[n + i] += sy;
      F[2 * n + i] += sz;
      flags[3] = 1;
    }

    /* The host's pd_pair_slip and pd_pair_dampers. of receives the velocity along the pair and across it, its length, both dampers */
    FUNCTION void dampers(size_t i, size_t j, GLOBAL const double *v, double mass, double mass_j, GLOBAL const double *law,
                          const double *pair, int no_tension, double dt, double *of, ulong_t n) {
      double vx = v[i] - v[j];
      double vy = v[n + i] - v[n + j];
      double vz = v[2 * n + i] - v[2 * n + j];
      double along = vx * pair[0] + vy * pair[1] + vz * pair[2];
      of[0] = along;
      of[1] = vx - along * pair[0];
      of[2] = vy - along * pair[1];
      of[3] = vz - along * pair[2];
      double slip = sqrt(of[1] * of[1] + of[2] * of[2] + of[3] * of[3]);
      double reduced = mass * mass_j / (mass + mass_j);
      double force = pair[3];
      double normal = 2 * law[1] * sqrt(pair[4] * 2 * reduced);
      if (no_tension && force + normal * along < 0) normal = -force / along;
      of[4] = slip;
      of[5] = normal;
      of[6] = slip > 0 ? fmin(law[2] * force, slip * reduced / dt) / slip : 0;
    }

    /* Dampers of the pairs that touch, summed over a row. list: node, and before how many pairs of all rows its own are */
    KERNEL void pair_dampers(GLOBAL const unsigned int *list, GLOBAL const unsigned int *first, GLOBAL const unsigned int *met_count,
                             GLOBAL const unsigned int *met, GLOBAL const double *x, GLOBAL const double *v, GLOBAL const double *X,
                             GLOBAL const unsigned int *grain, GLOBAL const unsigned int *body, GLOBAL const double *masses,
                             GLOBAL const double *bodies, GLOBAL const double *laws, double radius, int by_nodes, ulong_t materials,
                             int no_tension, double dt, GLOBAL double *sums, ulong_t rows, ulong_t n) {
      size_t row = ITEM();
      if (row >= rows) return;
      size_t i = list[2 * row];
      unsigned int from = first[i];
      unsigned int end = from + met_count[i];
      double pair[5];
      double of[7];
      double sum = 0;
      GLOBAL const double *a = bodies + 4 * (size_t)body[i];
      for (unsigned int k = from; k < end; k++) {
        size_t j = met[k];
        GLOBAL const double *b = bodies + 4 * (size_t)body[j];
        GLOBAL const double *law = laws + 3 * ((size_t)a[3] * materials + (size_t)b[3]);
        if (!touches(i, j, x, X, grain[i] == grain[j], a, b, law[0], radius, by_nodes, pair, n)) continue;
        dampers(i, j, v, masses[4 * (size_t)body[i] + 2], masses[4 * (size_t)body[j] + 2], law, pair, no_tension, dt, of, n);
        sum += fmax(of[5], of[6]);
      }
      sums[row] = sum;
    }

    /* What rows have, at their nodes */
    KERNEL void scatter_shares(GLOBAL const unsigned int *list, GLOBAL const double *value, GLOBAL double *share, ulong_t rows) {
      size_t row = ITEM();
      if (row < rows) share[list[2 * row]] = value[row];
    }

    /* Impulses of the pairs on a row's node, and what each takes along and across. own: shares of the rows' nodes */
    KERNEL void damp_pairs(GLOBAL const unsigned int *list, GLOBAL const unsigned int *first, GLOBAL const unsigned int *met_count,
                           GLOBAL const unsigned int *met, GLOBAL const double *x, GLOBAL const double *v, GLOBAL const double *X,
                           GLOBAL const unsigned int *grain, GLOBAL const unsigned int *body, GLOBAL const double *masses,
                           GLOBAL const double *bodies, GLOBAL const double *laws, double radius, int by_nodes, ulong_t materials,
                           int no_tension, double dt, GLOBAL const double *own, ulong_t rows, ulong_t n, int by_faces,
                           GLOBAL const double *share, GLOBAL double *impulse, GLOBAL double *heat) {
      size_t row = ITEM();
      if (row >= rows) return;
      size_t i = list[2 * row];
      size_t to = list[2 * row + 1];
      unsigned int from = first[i];
      unsigned int end = from + met_count[i];
      double pair[5];
      double of[7];
      double given[3] = {0, 0, 0};
      GLOBAL const double *a = bodies + 4 * (size_t)body[i];
      for (unsigned int k = from; k < end; k++, to++) {
        size_t j = met[k];
        GLOBAL const double *b = bodies + 4 * (size_t)body[j];
        GLOBAL const double *law = laws + 3 * ((size_t)a[3] * materials + (size_t)b[3]);
        heat[2 * to] = 0;
        heat[2 * to + 1] = 0;
        if (!touches(i, j, x, X, grain[i] == grain[j], a, b, law[0], radius, by_nodes, pair, n)) continue;
        dampers(i, j, v, masses[4 * (size_t)body[i] + 2], masses[4 * (size_t)body[j] + 2], law, pair, no_tension, dt, of, n);
        double part = fmin(own[row], share[j]);
        double normal = dt * part * of[5] * of[0];
        double sliding = dt * (by_faces ? fmin(of[6], part * fmax(of[5], of[6])) : part * of[6]);
        for (int axis = 0; axis < 3; axis++) given[axis] += -(normal * pair[axis] + sliding * of[1 + axis]);
        heat[2 * to] = 0.5 * normal * of[0];
        heat[2 * to + 1] = 0.5 * sliding * of[4] * of[4];
      }
      for (int axis = 0; axis < 3; axis++) impulse[axis * n + i] = given[axis];
    }

    /* What the pairs of a block's rows take, one after the other. end: before how many pairs those of a block are */
    KERNEL void pair_heat(GLOBAL const double *heat, GLOBAL const unsigned int *end, GLOBAL double *sums, ulong_t blocks) {
      size_t b = ITEM();
      if (b >= blocks) return;
      double normal = 0;
      double sliding = 0;
      for (size_t k = end[b]; k < end[b + 1]; k++) {
        normal += heat[2 * k];
        sliding += heat[2 * k + 1];
      }
      sums[2 * b] = normal;
      sums[2 * b + 1] = sliding;
    }

    FUNCTION int is_behind(GLOBAL const double *x, size_t i, ulong_t n, GLOBAL const double *plane) {
      double px = x[i] * plane[0];
      double py = x[n + i] * plane[1];
      double pz = x[2 * n + i] * plane[2];
      return !(px + py + pz > plane[3] + 1e-9 * (fabs(px) + fabs(py) + fabs(pz)));
    }

    /* Which nodes may be behind a plane, where they are or where the host has them: normal and offset of each, a rounding added */
    KERNEL void near_planes(GLOBAL const double *x, GLOBAL const double *known, GLOBAL const double *planes, ulong_t count,
                            GLOBAL unsigned int *marks, GLOBAL unsigned int *flags, ulong_t n) {
      size_t i = ITEM();
      if (i >= n) return;
      unsigned int near = 0;
      for (size_t p = 0; p < count; p++) {
        GLOBAL const double *plane = planes + 5 * p;
        if (is_behind(x, i, n, plane) | is_behind(known, i, n, plane)) near |= 1u << (unsigned int)plane[4];
      }
      marks[i] = near;
      if (near) flags[4] = 1;
    }

    KERNEL void copy_all(GLOBAL const double *from, GLOBAL double *to, ulong_t count) {
      size_t i = ITEM();
      if (i < count) to[i] = from[i];
    }

    /* Vectors of chosen nodes, side by side, and back */
    KERNEL void pack(GLOBAL const double *vector, GLOBAL const unsigned int *nodes, GLOBAL double *values, ulong_t count, ulong_t n) {
      size_t k = ITEM();
      if (k >= count) return;
      for (int axis = 0; axis < 3; axis++) values[3 * k + axis] = vector[axis * n + nodes[k]];
    }

    KERNEL void put(GLOBAL unsigned int *to, GLOBAL const ulong_t *slot, GLOBAL const unsigned int *value, ulong_t count) {
      size_t k = ITEM();
      if (k < count) to[slot[k]] = value[k];
    }

    /* How many words of each chunk are not 0 */
    KERNEL void count_marked(GLOBAL const unsigned int *word, GLOBAL unsigned int *count, ulong_t chunk, ulong_t n) {
      size_t c = ITEM();
      size_t begin = c * chunk;
      if (begin >= n) return;
      size_t end = begin + chunk < n ? begin + chunk : n;
      unsigned int found = 0;
      for (size_t i = begin; i < end; i++) found += word[i] != 0;
      count[c] = found;
    }

    /* Nodes and words that are not 0 of some chunks. list: chunk, and where its first goes. They may be taken off */
    KERNEL void take_marked(GLOBAL unsigned int *word, GLOBAL const unsigned int *list, GLOBAL unsigned int *packed, int off, ulong_t chunk,
                            ulong_t items, ulong_t n) {
      size_t m = ITEM();
      if (m >= items) return;
      size_t begin = list[2 * m] * chunk;
      size_t end = begin + chunk < n ? begin + chunk : n;
      size_t to = list[2 * m + 1];
      for (size_t i = begin; i < end; i++) {
        unsigned int w = word[i];
        if (w == 0) continue;
        packed[2 * to] = (unsigned int)i;
        packed[2 * to + 1] = w;
        to++;
        if (off) word[i] = 0;
      }
    }

    /* The host's drag of damping_rate, which adds to the impulses of contacts; one item a block. sums: each block's heat of contacts, which
     * goes on in the order of nodes */
    KERNEL void drag(GLOBAL const double *v, GLOBAL double *impulse, GLOBAL const unsigned int *body, GLOBAL const double *bodies,
                     double part, GLOBAL double *sums, ulong_t block, ulong_t n) {
      size_t b = ITEM();
      size_t begin = b * block;
      if (begin >= n) return;
      size_t end = begin + block < n ? begin + block : n;
      double sum = sums[2 * b];
      for (size_t i = begin; i < end; i++) {
        double factor = part * bodies[4 * (size_t)body[i] + 2];
        double dx = v[i] * factor;
        double dy = v[n + i] * factor;
        double dz = v[2 * n + i] * factor;
        impulse[i] += dx;
        impulse[n + i] += dy;
        impulse[2 * n + i] += dz;
        sum -= dx * v[i] + dy * v[n + i] + dz * v[2 * n + i];
      }
      sums[2 * b] = sum;
    }

    /* Impulses change velocities and are taken off; one item a block. sums: gain of kinetic energy of each */
    KERNEL void apply_impulses(GLOBAL double *v, GLOBAL double *impulse, GLOBAL const unsigned int *body, GLOBAL const double *bodies,
                               GLOBAL double *sums, ulong_t block, ulong_t n) {
      size_t b = ITEM();
      size_t begin = b * block;
      if (begin >= n) return;
      size_t end = begin + block < n ? begin + block : n;
      double gained = 0;
      for (int axis = 0; axis < 3; axis++)
        for (size_t i = begin; i < end; i++) {
          size_t k = axis * n + i;
          double given = impulse[k];
          if (given == 0) continue;
          double change = given / bodies[4 * (size_t)body[i] + 2];
          gained += given * (v[k] + 0.5 * change);
          v[k] = v[k] + change;
          impulse[k] = 0;
        }
      sums[2 * b] = gained;
    }

    KERNEL void unpack(GLOBAL double *vector, GLOBAL const unsigned int *nodes, GLOBAL const double *values, ulong_t count, ulong_t n) {
      size_t k = ITEM();
      if (k >= count) return;
      for (int axis = 0; axis < 3; axis++) vector[axis * n + nodes[k]] = values[3 * k + axis];
    }

);
