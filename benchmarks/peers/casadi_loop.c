/* Times one generated function: casadi_loop LIBRARY.so FUNCTION NQ NV OUTPUTS SECONDS
   prints nanoseconds per call. */
#include "clock.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

typedef int (*Function)(const double**, double**, long long*, double*, int);
typedef int (*Work)(long long*, long long*, long long*, long long*);

static double uniform(void) { return 2.0 * rand() / RAND_MAX - 1.0; }

static void unit(double* quaternion) {
  double n = 0;
  for (int i = 0; i < 4; i++) n += quaternion[i] * quaternion[i];
  for (int i = 0; i < 4; i++) quaternion[i] /= sqrt(n);
}

int main(int argc, char** argv) {
  if (argc != 7) return fprintf(stderr, "LIBRARY FUNCTION NQ NV OUTPUTS SECONDS\n"), 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  char name[256];
  snprintf(name, sizeof name, "%s_work", argv[2]);
  Function f = (Function)dlsym(library, argv[2]);
  Work work = (Work)dlsym(library, name);
  if (!f || !work) return fprintf(stderr, "no function %s\n", argv[2]), 1;
  const int nq = atoi(argv[3]), nv = atoi(argv[4]), row = nq + 2 * nv;
  long long args, results, integers, doubles;
  work(&args, &results, &integers, &doubles);
  double* x = malloc(sizeof(double) * SAMPLES * row);
  srand(1);
  for (int k = 0; k < SAMPLES; k++) {
    for (int i = 0; i < row; i++) x[k * row + i] = uniform();
    if (nq > nv) unit(x + k * row + 3); /* Pinocchio's free flyer: x y z, then xyzw */
  }
  const double** in = malloc(sizeof *in * (args + 3));
  double** out = malloc(sizeof *out * (results + 1));
  long long* iw = malloc(sizeof *iw * (integers + 1));
  double* w = malloc(sizeof *w * (doubles + 1));
  double* y = malloc(sizeof *y * atoi(argv[5]));
#define CALL(k)                                                                \
  (in[0] = x + (k) * row, in[1] = in[0] + nq, in[2] = in[1] + nv, out[0] = y, \
   f(in, out, iw, w, 0))
  MEASURE(atof(argv[6]), CALL);
}
