/* The pieces of MuJoCo that a question needs and no more, without contacts or
   constraints: mujoco_loop MODEL.xml FUNCTION SECONDS prints nanoseconds per call. */
#include "clock.h"
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

static mjModel* m;
static mjData* d;
static double *Q, *V, *A;

static double uniform(void) { return 2.0 * rand() / RAND_MAX - 1.0; }

static double* randoms(int n) {
  double* x = malloc(sizeof(double) * n);
  for (int i = 0; i < n; i++) x[i] = uniform();
  return x;
}

static void positions(int k) {
  memcpy(d->qpos, Q + k * m->nq, sizeof(double) * m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
}

static void velocities(int k) {
  memcpy(d->qvel, V + k * m->nv, sizeof(double) * m->nv);
  mj_comVel(m, d);
}

static void inverse_dynamics(int k) {
  memcpy(d->qacc, A + k * m->nv, sizeof(double) * m->nv);
  positions(k);
  velocities(k);
  mj_rne(m, d, 1, d->qfrc_inverse);
}

static void mass_matrix(int k) {
  positions(k);
  mj_makeM(m, d);
}

static void forward_dynamics(int k) {
  mass_matrix(k);
  mj_factorM(m, d);
  velocities(k);
  mj_rne(m, d, 0, d->qfrc_bias);
  for (int i = 0; i < m->nv; i++)
    d->qfrc_smooth[i] = A[k * m->nv + i] - d->qfrc_bias[i];
  mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
}

int main(int argc, char** argv) {
  char message[1000] = "";
  if (argc != 4) return fprintf(stderr, "MODEL.xml FUNCTION SECONDS\n"), 2;
  m = mj_loadXML(argv[1], NULL, message, sizeof message);
  if (!m) return fprintf(stderr, "%s\n", message), 1;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  d = mj_makeData(m);
  srand(1);
  Q = randoms(SAMPLES * m->nq);
  V = randoms(SAMPLES * m->nv);
  A = randoms(SAMPLES * m->nv);
  for (int k = 0; k < SAMPLES; k++) {
    double* step = randoms(m->nv);
    memcpy(Q + k * m->nq, m->qpos0, sizeof(double) * m->nq);
    mj_integratePos(m, Q + k * m->nq, step, 1.0);
    free(step);
  }
  if (!strcmp(argv[2], "inverse_dynamics")) MEASURE(atof(argv[3]), inverse_dynamics);
  else if (!strcmp(argv[2], "forward_dynamics")) MEASURE(atof(argv[3]), forward_dynamics);
  else if (!strcmp(argv[2], "mass_matrix")) MEASURE(atof(argv[3]), mass_matrix);
  else return fprintf(stderr, "unknown function %s\n", argv[2]), 2;
}
