"""Factors of a symmetric matrix with the sparsity of a tree, without fill-in.

H_ij is zero unless one of i, j is an ancestor of the other (Featherstone Sec. 6.4).
The tree is given as the expanded parent array: `parent[k]` is the variable before k on
the way to the world, -1 where there is none; numbers count from 0. The book's
numbering, parents before children, makes L lower triangular; any other works as well.
A matrix is a sequence of rows, of which only H[k][k] and H[k][i] with i an ancestor of
k are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from knuckle.scalar import Number, reciprocal, sqrt
from knuckle.spatial.linear import is_zero

Parents = Sequence[int]
Matrix = Sequence[Sequence[Number]]
Rows = list[list[Number]]
Numbers = list[Number]


def expanded(parent: Parents, freedoms: Sequence[int]) -> tuple[int, ...]:
    """The parent array of the variables, from that of joints.  Table 6.4.

    `freedoms[i]` counts the variables of joint i, numbered one joint after the other.
    A joint without any passes its place on to its children.
    """
    last: dict[int, int] = {-1: -1}
    result: list[int] = []
    for i, count in enumerate(freedoms):
        last[i] = last[parent[i]]
        for _ in range(count):
            result.append(last[i])
            last[i] = len(result) - 1
    return tuple(result)


def variable_parents(model: Any) -> tuple[int, ...]:
    """The expanded parent array of a model's velocities, numbered as in v.

    Of a coupled model the elimination tree of G^T H G, which is no longer that of the
    bodies.
    """
    if model.coupled:
        return elimination_parents(*coupled_pattern(model))
    return tree_parents(model)


def tree_parents(model: Any) -> tuple[int, ...]:
    """The expanded parent array over the velocities of all joints."""
    result = [-1] * model.freedoms
    for i in model.outward():
        moving = [j for j in i.ancestors if j.dof]
        before = moving[0].v.stop - 1 if moving else -1
        for k in range(i.v.start, i.v.stop):
            result[k], before = before, k
    return tuple(result)


def coupled_pattern(model: Any) -> tuple[list[set[int]], list[int]]:
    """For each velocity those that G^T H G ties it to, and its place from the root on.

    G counts as if nothing in it were 0.
    """
    reach: list[set[int]] = [set() for _ in range(model.freedoms)]
    slots = model.model.tree_joints
    for k, y in independent(model):
        reach[k] = {y}
    for tie in model.model.ties:
        found = {y for j in tie.joints for k in numbers(slots[j].v) for y in reach[k]}
        for k in numbers(slots[tie.follower].v):
            reach[k] = found
    pattern: list[set[int]] = [set() for _ in range(model.nv)]
    parent = tree_parents(model)
    for k, kappa in enumerate(supports(parent)):
        for y in reach[k]:
            pattern[y] |= {x for j in kappa for x in reach[j]}
    for y, row in enumerate(pattern):
        for x in row:
            pattern[x].add(y)
    place = {k: n for n, k in enumerate(outward(parent))}
    own = {y: k for k, y in independent(model)}
    ranks = [place[own[y]] for y in range(model.nv)]
    return [row - {y} for y, row in enumerate(pattern)], ranks


def independent(model: Any) -> Iterator[tuple[int, int]]:
    """(number among the velocities of all joints, number in v) of each velocity."""
    for own in model.model.independent:
        here = model.model.tree_joints[own.index].v
        yield from zip(numbers(here), numbers(own.v), strict=True)


def numbers(part: slice) -> range:
    """The numbers in a slice."""
    return range(part.start, part.stop)


def elimination_parents(
    pattern: Sequence[set[int]], ranks: Sequence[int]
) -> tuple[int, ...]:
    """The tree of a symmetric matrix of this pattern: always one with the fewest others
    left is eliminated next, of those the last by rank.

    What fills in lies between a variable and those before it on the way to the root.
    """
    left = {k: set(row) for k, row in enumerate(pattern)}
    parent, order, rows = [-1] * len(pattern), [], {}
    while left:
        k = min(left, key=lambda x: (len(left[x]), -ranks[x]))
        order.append(k)
        rows[k] = left.pop(k)
        for i in rows[k]:
            left[i] |= rows[k]
            left[i] -= {i, k}
    for k in order:
        parent[k] = min(rows[k], key=order.index, default=-1)
    return tuple(parent)


def restricted(parent: Parents, kept: Sequence[int]) -> tuple[int, ...]:
    """The parent array of some of the variables, numbered anew: Featherstone 9.1."""
    place = {k: i for i, k in enumerate(kept)}
    kappa = supports(parent)
    above = ([place[j] for j in kappa[k][1:] if j in place] for k in kept)
    return tuple(found[0] if found else -1 for found in above)


def supports(parent: Parents) -> list[tuple[int, ...]]:
    """For each variable itself, its parent, ... up to the root (kappa)."""

    def way(k: int) -> tuple[int, ...]:
        found = []
        while k >= 0:
            found.append(k)
            k = parent[k]
        return tuple(found)

    return [way(k) for k in range(len(parent))]


def outward(parent: Parents) -> list[int]:
    """All variables, parents before children, branch after branch."""
    kappa = supports(parent)
    return sorted(range(len(parent)), key=lambda k: kappa[k][::-1])


def _copied(H: Matrix, parent: Parents) -> Rows:
    """The entries of H on and below the diagonal; structural zeros elsewhere."""
    L: Rows = [[0.0] * len(parent) for _ in parent]
    for k, kappa in enumerate(supports(parent)):
        for i in kappa:
            L[k][i] = H[k][i]
    return L


def ltl(H: Matrix, parent: Parents) -> Rows:
    """L with H = L^T L.  Featherstone Table 6.3: n sqrt, D1 div, D2 (mul + sub)."""
    L = _copied(H, parent)
    kappa = supports(parent)
    for k in reversed(outward(parent)):
        L[k][k] = sqrt(L[k][k])
        r = reciprocal(L[k][k])
        for i in kappa[k][1:]:
            L[k][i] = L[k][i] * r
        for i in kappa[k][1:]:
            for j in kappa[i]:
                L[i][j] = L[i][j] - L[k][i] * L[k][j]
    return L


def ltdl(H: Matrix, parent: Parents) -> tuple[Rows, Numbers]:
    """(L, D) with H = L^T diag(D) L, the diagonal of L 1.  Featherstone Table 6.3."""
    L = _copied(H, parent)
    D: Numbers = [0.0] * len(parent)
    kappa = supports(parent)
    for k in reversed(outward(parent)):
        D[k], L[k][k] = L[k][k], 1.0
        r = reciprocal(D[k])
        for i in kappa[k][1:]:
            a = L[k][i] * r
            for j in kappa[i]:
                L[i][j] = L[i][j] - a * L[k][j]
            L[k][i] = a
    return L, D


def times_L(L: Matrix, parent: Parents, x: Sequence[Number]) -> Numbers:
    """L x.  Featherstone Table 6.5."""
    return [
        sum((L[i][j] * x[j] for j in kappa[1:]), L[i][i] * x[i])
        for i, kappa in enumerate(supports(parent))
    ]


def times_L_transposed(L: Matrix, parent: Parents, x: Sequence[Number]) -> Numbers:
    """L^T x.  Featherstone Table 6.5."""
    y = [L[i][i] * x[i] for i in range(len(parent))]
    for i, kappa in enumerate(supports(parent)):
        for j in kappa[1:]:
            y[j] = y[j] + L[i][j] * x[i]
    return y


def times_H(H: Matrix, parent: Parents, x: Sequence[Number]) -> Numbers:
    """H x from the lower triangle.  Featherstone Table 6.5."""
    y = [H[i][i] * x[i] for i in range(len(parent))]
    for i, kappa in enumerate(supports(parent)):
        for j in kappa[1:]:
            y[i] = y[i] + H[i][j] * x[j]
            y[j] = y[j] + H[i][j] * x[i]
    return y


def solve_L(L: Matrix, parent: Parents, x: Sequence[Number]) -> Numbers:
    """L^-1 x.  Featherstone Table 6.5."""
    y = list(x)
    kappa = supports(parent)
    for i in outward(parent):
        for j in kappa[i][1:]:
            y[i] = y[i] - L[i][j] * y[j]
        y[i] = y[i] / L[i][i]
    return y


def solve_L_transposed(L: Matrix, parent: Parents, x: Sequence[Number]) -> Numbers:
    """L^-T x.  Featherstone Table 6.5."""
    y = list(x)
    kappa = supports(parent)
    for i in reversed(outward(parent)):
        y[i] = y[i] / L[i][i]
        for j in kappa[i][1:]:
            y[j] = y[j] - L[i][j] * y[i]
    return y


def solve_ltl(L: Matrix, parent: Parents, b: Sequence[Number]) -> Numbers:
    """x with L^T L x = b."""
    return solve_L(L, parent, solve_L_transposed(L, parent, b))


def solve_ltdl(
    L: Matrix, D: Sequence[Number], parent: Parents, b: Sequence[Number]
) -> Numbers:
    """x with L^T D L x = b."""
    y = solve_L_transposed(L, parent, b)
    return solve_L(L, parent, [x * reciprocal(d) for x, d in zip(y, D, strict=True)])


def solve_columns(
    L: Matrix, D: Sequence[Number], parent: Parents, columns: Sequence[Sequence[Number]]
) -> Rows:
    """The x with L^T D L x = b for each column b, cheap where b has structural zeros.

    L^-T keeps zeros off the supports and subtrees of what is not zero. Where D^-1 L^-T
    b is zero from below an ancestor c of i on, x_i = w . x on the support of c: the row
    -L_i with the ancestors before c eliminated, once for all columns. Columns advance
    side by side, so that a processor finds work that does not wait for other work.
    """
    order, rows = outward(parent), _Eliminated(L, parent)
    X = [list(b) for b in columns]
    start = [[-1] * len(parent) for _ in columns]
    for i in reversed(order):
        for j in rows.kappa[i][1:]:
            for x in X:
                x[j] = x[j] - L[i][j] * x[i]
    for i in order:
        above, r = parent[i], reciprocal(D[i])
        for x, from_ in zip(X, start, strict=True):
            zero = is_zero(x[i])
            from_[i] = i if not zero else from_[above] if above >= 0 else -1
            c = from_[i] if zero else above
            x[i] = x[i] * r
            if c >= 0:
                x[i] = sum((w * x[k] for k, w in rows(i, c).items()), x[i])
    return X


class _Eliminated:
    """The row -L_i on the support of an ancestor c, those before c eliminated."""

    def __init__(self, L: Matrix, parent: Parents) -> None:
        self.L, self.parent, self.kappa = L, parent, supports(parent)
        self.known: dict[tuple[int, int], dict[int, Number]] = {}

    def __call__(self, i: int, c: int) -> dict[int, Number]:
        if (i, c) not in self.known:
            self.known[i, c] = self._made(i, c)
        return self.known[i, c]

    def _made(self, i: int, c: int) -> dict[int, Number]:
        if c == self.parent[i]:
            return {k: -self.L[i][k] for k in self.kappa[i][1:]}
        below = self.kappa[i][self.kappa[i].index(c) - 1]
        w = dict(self(i, below))
        last = w.pop(below)
        return {k: x - last * self.L[below][k] for k, x in w.items()}


def inverse_ltdl(L: Matrix, D: Sequence[Number], parent: Parents) -> Rows:
    """H^-1, both triangles, row by row from L H^-1 = D^-1 L^-T, the right side upper.

    H^-1_ij = w . H^-1_j with w the row -L_i on the ancestors of i. On the way to the
    root each ancestor c is eliminated from w, so that a j which only shares the support
    of c with i costs no more terms than that. The trap: H^-1 is dense within a tree.
    """
    kappa, order = supports(parent), outward(parent)
    Z: Rows = [[0.0] * len(parent) for _ in parent]
    for place, i in enumerate(order):
        w, waiting = [-x for x in L[i]], order[:place]
        for c in kappa[i][1:]:
            for j in waiting:
                if c in kappa[j]:
                    Z[i][j] = Z[j][i] = sum((w[k] * Z[k][j] for k in kappa[c]), 0.0)
            waiting = [j for j in waiting if c not in kappa[j]]
            for k in kappa[c][1:]:
                w[k] = w[k] - w[c] * L[c][k]
        Z[i][i] = reciprocal(D[i])
        for k in kappa[i][1:]:
            Z[i][i] = Z[i][i] - L[i][k] * Z[k][i]
    return Z
