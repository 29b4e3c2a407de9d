/* Sweeps over a pack. A sweep goes on along the last change of impulses (momentum), contact by contact as it comes to them: velocities were
 * moved on before, so that a contact's own are those of its impulse. */
#include <math.h>
#include <string.h>

#include "contact/balls/ball_pack.h"
#include "contact/balls/ball_vector.h"

enum { JUDGE_EVERY = 10, REST = 20, RETURNS = 5 };
static const double most = 0.95, worse = 3.0, exact = 1e-4;

typedef struct ball_momentum {
  double theta, beta;        /* 1 */
  double residual;           /* of the best point, m/s */
  unsigned resting, returns; /* sweeps still to go without; to the best point so far */
  bool moved;                /* the best point is not the start */
} ball_momentum;

/* Moves on along the last change. */
BALL_INLINE void extrapolate(double beta, const double *now, double *before, double *guess)
{
  for (int k = 0; k < 3; ++k) {
    guess[k] = now[k] + beta * (now[k] - before[k]);
    before[k] = now[k];
  }
}

/* @return (y - r_new).(r_new - r_old) over what the contact gives to a push */
BALL_INLINE double visit(ball_contact *c, ball_body *body, bool steered, double beta)
{
  double y[3], u[3], ut[3], rt[3], un, rn, d[3], back = 0.0;
  extrapolate(beta, c->impulse, c->before, y);
  ball_relative(c, body, u);
  ball_split(c->normal, u, &un, ut);
  ball_split(c->normal, y, &rn, rt);
  rn -= c->give_normal * (un + c->offset);
  rn = rn > 0.0 ? rn : 0.0;
  for (int k = 0; k < 3; ++k) rt[k] -= c->give_tangent * ut[k];
  double limit = c->friction * rn, square = ball_dot(rt, rt), share = square > limit * limit ? limit / sqrt(square) : 1.0;
  for (int k = 0; k < 3; ++k) {
    double r = rn * c->normal[k] + share * rt[k];
    d[k] = r - y[k];
    back -= d[k] * (r - c->before[k]);
    c->impulse[k] = r;
  }
  ball_push(c, d, steered, body);
  return back / c->give_normal;
}

BALL_INLINE double visit_rolling(ball_rolling *c, ball_body *body, double beta)
{
  double y[3], w[3], tangent[3], couple[3], about, own, d[3], back = 0.0, give = body[c->a].inverse_inertia + body[c->b].inverse_inertia;
  if (!(give > 0.0)) return 0.0; /* what does not turn: the couple stays as it is */
  extrapolate(beta, c->couple, c->before, y);
  ball_difference(body[c->a].spin, body[c->b].spin, w);
  ball_split(c->normal, w, &about, tangent);
  ball_split(c->normal, y, &own, couple);
  own = fmax(-c->limit, fmin(c->limit, own - about / give));
  for (int k = 0; k < 3; ++k) couple[k] -= tangent[k] / give;
  double square = ball_dot(couple, couple), share = square > c->limit * c->limit ? c->limit / sqrt(square) : 1.0;
  for (int k = 0; k < 3; ++k) {
    double r = own * c->normal[k] + share * couple[k];
    d[k] = r - y[k];
    back -= d[k] * (r - c->before[k]);
    c->couple[k] = r;
  }
  ball_turn(c, d, body);
  return back * give;
}

/* One sweep; chooses the momentum of the next (O'Donoghue and Candes 2015). */
static void sweep(ball_pack *p, ball_momentum *m)
{
  double back = 0.0, guess[3];
  for (size_t i = 0; i < p->body_count; ++i) {
    ball_body *b = &p->body[i];
    extrapolate(m->beta, b->velocity, p->before + 6 * i, guess);
    memcpy(b->velocity, guess, sizeof guess);
    extrapolate(m->beta, b->spin, p->before + 6 * i + 3, guess);
    memcpy(b->spin, guess, sizeof guess);
  }
  size_t free = p->contact_count - p->steered_count;
  for (size_t k = 0; k < free; ++k) back += visit(&p->contact[k], p->body, false, m->beta);
  for (size_t k = free; k < p->contact_count; ++k) back += visit(&p->contact[k], p->body, true, m->beta);
  for (size_t k = 0; k < p->rolling_count; ++k) back += visit_rolling(&p->rolling[k], p->body, m->beta);
  if (m->resting > 0 || m->returns > RETURNS || back > 0.0) {
    m->resting -= m->resting > 0;
    m->theta = 1.0;
    m->beta = 0.0;
    return;
  }
  double square = m->theta * m->theta, next = 0.5 * (sqrt(square * square + 4.0 * square) - square);
  m->beta = fmin(most, m->theta * (1.0 - m->theta) / (square + next));
  m->theta = next;
}

static void keep_best(ball_pack *p)
{
  for (size_t k = 0; k < p->contact_count; ++k) memcpy(p->best + 3 * k, p->contact[k].impulse, 3 * sizeof(double));
  for (size_t k = 0; k < p->rolling_count; ++k) memcpy(p->best + 3 * (p->contact_count + k), p->rolling[k].couple, 3 * sizeof(double));
}

static void take_best(ball_pack *p)
{
  for (size_t k = 0; k < p->contact_count; ++k) memcpy(p->contact[k].impulse, p->best + 3 * k, 3 * sizeof(double));
  for (size_t k = 0; k < p->rolling_count; ++k) memcpy(p->rolling[k].couple, p->best + 3 * (p->contact_count + k), 3 * sizeof(double));
}

/* Velocities anew, exactly those of the impulses. @return the residual */
static double judge(ball_pack *p)
{
  ball_pack_set_velocities(p);
  return ball_pack_residual(p);
}

/* Back to the best point where the last one is far worse. @return the residual of where the sweeps go on */
static double guard(ball_pack *p, ball_momentum *m, double residual)
{
  if (residual < m->residual) {
    m->residual = residual;
    m->moved = true;
    keep_best(p);
  }
  if (residual <= worse * m->residual || m->returns > RETURNS) return residual;
  take_best(p);
  m->theta = 1.0;
  m->beta = 0.0;
  m->resting = REST;
  m->returns++;
  return judge(p);
}

static void make_ready(ball_pack *p)
{
  for (size_t i = 0; i < p->body_count; ++i) {
    memcpy(p->free + 6 * i, p->body[i].velocity, 3 * sizeof(double));
    memcpy(p->free + 6 * i + 3, p->body[i].spin, 3 * sizeof(double));
  }
  for (size_t k = 0; k < p->contact_count; ++k) {
    ball_contact *c = &p->contact[k];
    const ball_body *a = &p->body[c->a], *b = &p->body[c->b];
    double normal = a->inverse_mass + b->inverse_mass, across = k < p->contact_count - p->steered_count ? normal : a->inverse_mass;
    across += a->inverse_inertia * c->arm_a * c->arm_a + b->inverse_inertia * c->arm_b * c->arm_b;
    c->give_normal = 1.0 / normal;
    /* of a steered body on a driven one nothing moves across: what rubs there stays as it is */
    c->give_tangent = across > 0.0 ? 1.0 / across : 0.0;
  }
}

void ball_pack_solve(ball_pack *p, const ball_options *options, ball_result *result)
{
  make_ready(p);
  ball_pack_go_on(p, options, result);
}

/* The sweep before the first is where it begins. */
static void begin_momentum(ball_pack *p)
{
  for (size_t i = 0; i < p->body_count; ++i) {
    memcpy(p->before + 6 * i, p->body[i].velocity, 3 * sizeof(double));
    memcpy(p->before + 6 * i + 3, p->body[i].spin, 3 * sizeof(double));
  }
  for (size_t k = 0; k < p->contact_count; ++k) memcpy(p->contact[k].before, p->contact[k].impulse, 3 * sizeof(double));
  for (size_t k = 0; k < p->rolling_count; ++k) memcpy(p->rolling[k].before, p->rolling[k].couple, 3 * sizeof(double));
}

void ball_pack_go_on(ball_pack *p, const ball_options *options, ball_result *result)
{
  double enough = options->tolerance * options->speed, last;
  ball_momentum m = {.theta = 1.0};
  *result = (ball_result){0};
  last = m.residual = judge(p);
  unsigned least = last <= exact * enough ? 0 : options->least < options->sweeps ? options->least : options->sweeps;
  if (last > enough || least > 0) {
    keep_best(p);
    begin_momentum(p);
  }
  while ((last > enough || result->sweeps < least) && result->sweeps < options->sweeps) {
    sweep(p, &m);
    ++result->sweeps;
    if (result->sweeps % JUDGE_EVERY != 0 && result->sweeps != options->sweeps && result->sweeps != least) continue;
    last = judge(p);
    if (last > enough) last = guard(p, &m, last);
  }
  if (last > m.residual && m.moved) {
    take_best(p);
    last = judge(p);
  }
  result->residual = last / options->speed;
}
