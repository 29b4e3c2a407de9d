/** Preconditioned conjugate gradients, after Hestenes and Stiefel. */
#include "linalg/block6/pcg.h"

#include "linalg/vector.h"

size_t la_pcg_scratch(size_t row_count)
{
  return 4 * 6 * row_count + 1;
}

la_pcg_report la_pcg(const la_block_matrix *matrix, const la_preconditioner *preconditioner, const la_pcg_options *options, const double *b,
                     double *x, double *scratch)
{
  size_t n = 6 * matrix->row_count;
  scr_execution execution = options->execution;
  double *r = scratch, *z = r + n, *d = z + n, *ad = d + n;
  memset(x, 0, n * sizeof *x);
  memcpy(r, b, n * sizeof *r);
  double norm = sqrt(la_dot(b, b, n, execution));
  if (norm == 0.0) return (la_pcg_report){LA_PCG_CONVERGED, 0, 0.0};
  preconditioner->apply(preconditioner->state, r, z);
  memcpy(d, z, n * sizeof *d);
  double rz = la_dot(r, z, n, execution);
  la_pcg_report report = {LA_PCG_LIMIT, 0, 1.0};
  while (report.iterations < options->iteration_limit) {
    scr_report_alive(options->liveness);
    if (!(rz > 0.0)) { /* only an indefinite matrix makes a preconditioner indefinite */
      report.outcome = LA_PCG_NEGATIVE_CURVATURE;
      return report;
    }
    la_block_matrix_multiply(matrix, d, ad, execution);
    ++report.iterations;
    double curvature = la_dot(d, ad, n, execution);
    if (!(curvature > 0.0)) {
      report.outcome = LA_PCG_NEGATIVE_CURVATURE;
      return report;
    }
    report.residual = sqrt(la_advance(rz / curvature, d, ad, x, r, n, execution)) / norm;
    if (report.residual <= options->tolerance) {
      report.outcome = LA_PCG_CONVERGED;
      return report;
    }
    preconditioner->apply(preconditioner->state, r, z);
    double next = la_dot(r, z, n, execution), beta = next / rz;
    rz = next;
    la_xpby(beta, z, d, n, execution);
  }
  return report;
}
