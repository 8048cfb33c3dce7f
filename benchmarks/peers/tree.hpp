// A Pinocchio model from the plain text of ../models: the number of bodies, then one
// row per body: parent (-1 = world), kind (0 free joint, 1 revolute), rotation (9) and
// position (3) of the joint in the parent, axis (3), mass, com (3), inertia about it (9).
#pragma once
#include <fstream>
#include <pinocchio/multibody.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace tree {
using Model = pinocchio::ModelTpl<double>;
using pinocchio::JointIndex;
using pinocchio::SE3;

struct Row {
  int parent, kind;
  Eigen::Matrix3d R, I;
  Eigen::Vector3d p, axis, com;
  double mass;
};

inline void fill(std::istream& in, Eigen::Matrix3d& m) {
  for (int k = 0; k < 9; k++) in >> m(k / 3, k % 3);
}

inline void fill(std::istream& in, Eigen::Vector3d& x) { in >> x[0] >> x[1] >> x[2]; }

inline Row row(std::istream& in) {
  Row r;
  in >> r.parent >> r.kind;
  fill(in, r.R);
  fill(in, r.p);
  fill(in, r.axis);
  in >> r.mass;
  fill(in, r.com);
  fill(in, r.I);
  if (!in) throw std::runtime_error("model file: row with fewer than 30 numbers");
  return r;
}

// The specialised joint where there is one: it is what a user of Pinocchio gets.
inline JointIndex attach(Model& m, JointIndex parent, const Row& r, int i) {
  const SE3 at(r.R, r.p);
  const std::string name = "joint" + std::to_string(i);
  if (r.kind == 0) return m.addJoint(parent, pinocchio::JointModelFreeFlyer(), at, name);
  if (r.axis.isApprox(Eigen::Vector3d::UnitX(), 1e-12))
    return m.addJoint(parent, pinocchio::JointModelRX(), at, name);
  if (r.axis.isApprox(Eigen::Vector3d::UnitY(), 1e-12))
    return m.addJoint(parent, pinocchio::JointModelRY(), at, name);
  if (r.axis.isApprox(Eigen::Vector3d::UnitZ(), 1e-12))
    return m.addJoint(parent, pinocchio::JointModelRZ(), at, name);
  return m.addJoint(parent, pinocchio::JointModelRevoluteUnaligned(r.axis), at, name);
}

inline Model load(const std::string& path) {
  std::ifstream in(path);
  int n = 0;
  if (!(in >> n)) throw std::runtime_error("cannot read " + path);
  Model m;
  std::vector<JointIndex> joint(n);
  for (int i = 0; i < n; i++) {
    const Row r = row(in);
    joint[i] = attach(m, r.parent < 0 ? 0 : joint[r.parent], r, i);
    m.appendBodyToJoint(joint[i], pinocchio::Inertia(r.mass, r.com, r.I), SE3::Identity());
  }
  return m;
}
}  // namespace tree
