// Pinocchio's templates over casadi::SX, printed as C: casadi_generate MODEL.txt NAME
// writes NAME_{rnea,aba,crba,minverse,drnea}.c in the working directory.
#include <casadi/casadi.hpp>
#include <pinocchio/autodiff/casadi.hpp>
#include "tree.hpp"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
using casadi::SX;
using pinocchio::Convention;
typedef Eigen::Matrix<SX, Eigen::Dynamic, 1> Vector;
typedef Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic> Matrix;

static Vector entries(const SX& s) {
  Vector x(s.size1());
  for (int i = 0; i < x.size(); i++) x[i] = s(i);
  return x;
}

static SX dense(const Matrix& m) {
  SX out = SX::zeros(m.rows(), m.cols());
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < m.cols(); j++) out(i, j) = m(i, j);
  return SX::densify(out);
}

static Matrix mirrored(Matrix m) {  // Pinocchio fills the upper triangle
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < i; j++) m(i, j) = m(j, i);
  return m;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "MODEL.txt NAME\n"), 2;
  const auto m = tree::load(argv[1]).cast<SX>();
  pinocchio::DataTpl<SX> d(m);
  const SX sq = SX::sym("q", m.nq), sv = SX::sym("v", m.nv), sa = SX::sym("a", m.nv);
  const Vector q = entries(sq), v = entries(sv), a = entries(sa);
  auto write = [&](const std::string& suffix, const SX& out) {
    const std::string name = argv[2] + ("_" + suffix);
    casadi::Function f(name, {sq, sv, sa}, {out});
    f.generate(name + ".c");
    std::printf("%s %lld\n", name.c_str(), (long long)f.n_instructions());
  };
  write("rnea", dense(pinocchio::rnea(m, d, q, v, a)));
  write("aba", dense(pinocchio::aba(m, d, q, v, a, Convention::LOCAL)));
  pinocchio::crba(m, d, q, Convention::WORLD);
  write("crba", dense(mirrored(d.M)));
  pinocchio::computeMinverse(m, d, q);
  write("minverse", dense(mirrored(d.Minv)));
  Matrix A = Matrix::Zero(m.nv, m.nv), B = A, C = A;
  pinocchio::computeRNEADerivatives(m, d, q, v, a, A, B, C);
  write("drnea", SX::horzcat({dense(A), dense(B)}));
}
