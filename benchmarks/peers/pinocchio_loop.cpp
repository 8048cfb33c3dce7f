// Pinocchio's C++ algorithms in a loop: pinocchio_loop MODEL.txt FUNCTION SECONDS
// prints nanoseconds per call. Where two conventions exist, each is a function.
#include "clock.h"
#include "tree.hpp"
#include <cstdlib>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
using namespace pinocchio;
typedef std::vector<Eigen::VectorXd> Batch;

struct States {
  Batch q, v, a;
  explicit States(const Model& m) {
    std::srand(1);
    for (int k = 0; k < SAMPLES; k++) {
      q.push_back(integrate(m, neutral(m), Eigen::VectorXd(Eigen::VectorXd::Random(m.nv))));
      v.push_back(Eigen::VectorXd::Random(m.nv));
      a.push_back(Eigen::VectorXd::Random(m.nv));
    }
  }
};

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "MODEL.txt FUNCTION SECONDS\n"), 2;
  const Model m = tree::load(argv[1]);
  const std::string f = argv[2];
  const double budget = std::atof(argv[3]);
  Data d(m);
  const States s(m);
#define RNEA(k) rnea(m, d, s.q[k], s.v[k], s.a[k])
#define ABA_LOCAL(k) aba(m, d, s.q[k], s.v[k], s.a[k], Convention::LOCAL)
#define ABA_WORLD(k) aba(m, d, s.q[k], s.v[k], s.a[k], Convention::WORLD)
#define CRBA_LOCAL(k) crba(m, d, s.q[k], Convention::LOCAL)
#define CRBA_WORLD(k) crba(m, d, s.q[k], Convention::WORLD)
#define MINVERSE(k) computeMinverse(m, d, s.q[k])
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m.nv, m.nv), B = A, C = A;
  const int t = f == "d2rnea" ? m.nv : 0;
  Data::Tensor3x T(t, t, t), U = T, V = T, W = T;
#define DRNEA(k) computeRNEADerivatives(m, d, s.q[k], s.v[k], s.a[k], A, B, C)
#define DABA(k) computeABADerivatives(m, d, s.q[k], s.v[k], s.a[k], A, B, C)
#define D2RNEA(k) ComputeRNEASecondOrderDerivatives(m, d, s.q[k], s.v[k], s.a[k], T, U, V, W)
  if (f == "rnea") MEASURE(budget, RNEA);
  else if (f == "aba_local") MEASURE(budget, ABA_LOCAL);
  else if (f == "aba_world") MEASURE(budget, ABA_WORLD);
  else if (f == "crba_local") MEASURE(budget, CRBA_LOCAL);
  else if (f == "crba_world") MEASURE(budget, CRBA_WORLD);
  else if (f == "minverse") MEASURE(budget, MINVERSE);
  else if (f == "drnea") MEASURE(budget, DRNEA);
  else if (f == "daba") MEASURE(budget, DABA);
  else if (f == "d2rnea") MEASURE(budget, D2RNEA);
  else return std::fprintf(stderr, "unknown function %s\n", argv[2]), 2;
}
