/* The source of the device's kernels. */
#include "methods/bdem/device/kernels.h"

const char *const bdem_kernel_names[BDEM_KERNEL_COUNT] = {
    [BDEM_KERNEL_BONDS] = "bonds", [BDEM_KERNEL_PUT] = "put_results", [BDEM_KERNEL_GATHER] = "gather_sums"};

#pragma GCC diagnostic ignored "-Woverlength-strings"
#define SOURCE(...) #__VA_ARGS__

const char bdem_kernel_source[] = SOURCE(

    FUNCTION double dot_of(double ax, double ay, double az, double bx, double by, double bz) { return fma(az, bz, fma(ax, bx, ay * by)); }

    /* a b - c d */
    FUNCTION double less_of(double a, double b, double c, double d) { return fma(a, b, -(c * d)); }

    /* a b - c d, the second fused */
    FUNCTION double second_less_of(double a, double b, double c, double d) { return fma(-c, d, a * b); }

    /* One lane of a batch, by the operations of bond_batch_kernel.h for AVX2, each fused where the compiler fuses them there */
    KERNEL void bonds(GLOBAL const unsigned int *near, GLOBAL const unsigned int *far, GLOBAL const double *rests,
                      GLOBAL const unsigned int *stiffness_of, GLOBAL const double *stiffnesses, GLOBAL const double *position,
                      GLOBAL const double *orientation, int breakable, GLOBAL double *result, GLOBAL unsigned char *marks,
                      GLOBAL unsigned int *flags, ulong_t lanes) {
      size_t k = ITEM();
      if (k >= lanes) return;
      size_t batch = k >> 3;
      size_t lane = k & 7;
      size_t i = near[k];
      size_t j = far[k];
      marks[k] = 0;
      if (i == j) {
        for (int a = 0; a < 9; a++) result[a * lanes + k] = 0;
        return;
      }
      GLOBAL const double *rest = rests + 32 * batch + lane;
      GLOBAL const double *stiff = stiffnesses + 72 * (size_t)stiffness_of[batch] + lane;
      GLOBAL const double *qi = orientation + 4 * i;
      GLOBAL const double *qj = orientation + 4 * j;
      double ix = qi[0];
      double iy = qi[1];
      double iz = qi[2];
      double iw = qi[3];
      double jx = qj[0];
      double jy = qj[1];
      double jz = qj[2];
      double jw = qj[3];
      double cosine = fma(ix, jx, iy * jy) + fma(iz, jz, iw * jw);
      double ex = position[3 * j] - position[3 * i];
      double ey = position[3 * j + 1] - position[3 * i + 1];
      double ez = position[3 * j + 2] - position[3 * i + 2];
      double square = dot_of(ex, ey, ez, ex, ey, ez);
      double length = sqrt(square);
      double inverse_length = length / (square + 1e-300);
      double inverse = 1.0 / (1.0 + cosine);
      double nx = ex * inverse_length;
      double ny = ey * inverse_length;
      double nz = ez * inverse_length;
      /* the turned rest direction */
      double d0x = rest[0];
      double d0y = rest[8];
      double d0z = rest[16];
      double ax = ix + jx;
      double ay = iy + jy;
      double az = iz + jz;
      double aw = iw + jw;
      double cx = less_of(ay, d0z, az, d0y);
      double cy = less_of(az, d0x, ax, d0z);
      double cz = less_of(ax, d0y, ay, d0x);
      double dx = fma(fma(cx, aw, less_of(ay, cz, az, cy)), inverse, d0x);
      double dy = fma(fma(cy, aw, less_of(az, cx, ax, cz)), inverse, d0y);
      double dz = fma(fma(cz, aw, less_of(ax, cy, ay, cx)), inverse, d0z);
      /* the relative turn */
      double vx = ix - jx;
      double vy = iy - jy;
      double vz = iz - jz;
      double vw = iw - jw;
      double ux = second_less_of(vx, jw, jx, vw) + less_of(jy, vz, jz, vy);
      double uy = second_less_of(vy, jw, jy, vw) + less_of(jz, vx, jx, vz);
      double uz = second_less_of(vz, jw, jz, vw) + less_of(jx, vy, jy, vx);
      /* what force and stress have in common */
      double x = dot_of(dx, dy, dz, nx, ny, nz);
      double s = 1.0 - x;
      double s2 = s * s;
      double s4 = s2 * s2;
      double low = fma(s2, fma(0.05714285691063086, s, 0.13333333333560174), fma(0.3333333333333248, s, 1.0));
      double high = fma(s2, fma(0.002430953025191639, s, 0.005333724999219495), fma(0.01154367058182611, s, 0.025396837284809858));
      double kf = stiff[8] * fma(s4, fma(s4, 0.0014539162192701424, high), low);
      double shear = kf * inverse_length;
      double extension = length - rest[24];
      double along = dot_of(ux, uy, uz, dx, dy, dz);
      int unusual = (s > 0.1 && length > 0.0) || AS_BITS(inverse) > (ulong_t)0x3ff0000000000000;
      /* force and torques */
      double hx = less_of(dy, nz, dz, ny);
      double hy = less_of(dz, nx, dx, nz);
      double hz = less_of(dx, ny, dy, nx);
      double pull = fma(stiff[0], extension, x * shear);
      double c = 0.5 * kf;
      double rc = c * inverse;
      double twist = stiff[24] * along;
      double on_u = fma(stiff[16], cosine, -(twist * along * inverse));
      double on_d = fma(-rc, dot_of(ux, uy, uz, nx, ny, nz), twist);
      double on_n = rc * along;
      double tx = fma(ux, on_u, fma(dx, on_d, nx * on_n));
      double ty = fma(uy, on_u, fma(dy, on_d, ny * on_n));
      double tz = fma(uz, on_u, fma(dz, on_d, nz * on_n));
      result[k] = fma(-nx, pull, dx * shear);
      result[lanes + k] = fma(-ny, pull, dy * shear);
      result[2 * lanes + k] = fma(-nz, pull, dz * shear);
      result[3 * lanes + k] = fma(hx, c, -tx);
      result[4 * lanes + k] = fma(hy, c, -ty);
      result[5 * lanes + k] = fma(hz, c, -tz);
      result[6 * lanes + k] = fma(hx, c, tx);
      result[7 * lanes + k] = fma(hy, c, ty);
      result[8 * lanes + k] = fma(hz, c, tz);
      /* lanes that the host has to look at: 1, may be above its strength; 2, beyond the polynomial */
      unsigned int mark = unusual ? 2 : 0;
      if (breakable) {
        double a = stiff[32] * extension;
        double b = stiff[40] * shear;
        if (!(a > 0.0)) a = 0;
        double loaded = 0.5 * a * a + b * b * (s + 1e-14) + stiff[48] * ((1.0 + 1e-14) - cosine);
        if (unusual || loaded > 0.2449) {
          double across = dot_of(ux, uy, uz, ux, uy, uz) - along * along;
          double torsion = stiff[64] * along;
          double sliding = stiff[40] * shear;
          double bending = stiff[56];
          double tensile_left = (1.0 - 2e-6) - stiff[32] * extension;
          double shear_left = (1.0 - 2e-6) - fabs(torsion);
          if (unusual || tensile_left < 0.0 || bending * bending * across > tensile_left * tensile_left || shear_left < 0.0 ||
              sliding * sliding * dot_of(hx, hy, hz, hx, hy, hz) > shear_left * shear_left)
            mark |= 1;
        }
      }
      if (!mark) return;
      marks[k] = (unsigned char)mark;
      flags[0] = 1;
    }

    /* Results that the host has computed, nine of each lane */
    KERNEL void put_results(GLOBAL double *result, GLOBAL const unsigned int *lane, GLOBAL const double *values, ulong_t lanes,
                            ulong_t count) {
      size_t k = ITEM();
      if (k >= count) return;
      for (int a = 0; a < 9; a++) result[a * lanes + lane[k]] = values[9 * k + a];
    }

    /* All that acts on the sphere at a place, in the order in which the host adds: forces on far ends one by one, those on near ends as one
       sum in their midst, then what each earlier block has of it. column: lanes, with a high bit where a part begins */
    KERNEL void gather_sums(GLOBAL const unsigned int *column, GLOBAL const unsigned int *count, GLOBAL const unsigned int *near_at,
                            GLOBAL const unsigned int *first_near, GLOBAL const unsigned int *near_count, GLOBAL const double *result,
                            GLOBAL double *sums, ulong_t lanes, ulong_t places) {
      size_t k = ITEM();
      if (k >= places) return;
      double total[6] = {0, 0, 0, 0, 0, 0};
      double part[6] = {0, 0, 0, 0, 0, 0};
      unsigned int end = count[k];
      for (unsigned int e = 0; e <= end; e++) {
        if (e == near_at[k]) {
          double own[6] = {0, 0, 0, 0, 0, 0};
          size_t at = first_near[k];
          for (unsigned int b = 0; b < near_count[k]; b++, at += 8)
            for (int a = 0; a < 3; a++) {
              own[a] -= result[a * lanes + at];
              own[3 + a] += result[(3 + a) * lanes + at];
            }
          for (int a = 0; a < 6; a++) part[a] += own[a];
        }
        if (e == end) continue;
        unsigned int entry = column[e * places + k];
        size_t lane = entry & 0x7fffffffu;
        if (entry >> 31)
          for (int a = 0; a < 6; a++) {
            total[a] += part[a];
            part[a] = 0;
          }
        for (int a = 0; a < 3; a++) {
          part[a] += result[a * lanes + lane];
          part[3 + a] += result[(6 + a) * lanes + lane];
        }
      }
      for (int a = 0; a < 6; a++) sums[6 * k + a] = total[a] + part[a];
    }

);
