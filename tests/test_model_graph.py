"""Connectivity (Featherstone Sec. 4.1, 6.5): checks 12, 13, 20, 21 of the notes."""

from itertools import pairwise

import pytest

from knuckle.model import ModelError, spanning_tree, spanning_trees, tree

CRANK_SLIDER = (
    ["crank", "rod", "slider"],
    [
        ("bearing", "world", "crank"),
        ("pin", "crank", "rod"),
        ("wrist", "rod", "slider"),
        ("guide", "world", "slider"),
    ],
)


def test_crank_slider_has_4_spanning_trees_and_8_regular_numberings():
    trees = list(spanning_trees(*CRANK_SLIDER))
    assert len(trees) == 4
    assert all(len(t.loops) == 1 for t in trees)  # N_L = N_J - N_B (4.1)
    counts = [tree.regular_numberings(t.parents, len(t.loops)) for t in trees]
    assert sorted(counts) == [1, 1, 3, 3]
    assert counts == [len(list(tree.regular_orders(t.parents))) for t in trees]


def test_an_unbranched_tree_has_one_numbering():
    assert tree.regular_numberings((-1, 0, 1, 2, 3)) == 1
    assert list(tree.regular_orders((-1, 0, 1))) == [(0, 1, 2)]


def test_spanning_tree_is_of_least_depth_and_knows_polarity():
    least = spanning_tree(*CRANK_SLIDER)
    assert least.depth == 2
    assert [arc.name for arc in least.loops] == ["wrist"]
    assert least.nodes == ("crank", "rod", "slider") and least.parents == (-1, 0, -1)
    chosen = spanning_tree(*CRANK_SLIDER, tree=["guide", "wrist", "pin"])
    assert chosen.nodes == ("slider", "rod", "crank") and chosen.depth == 3
    assert chosen.backward == (False, True, True)
    assert [arc.name for arc in chosen.loops] == ["bearing"]


def test_spanning_tree_of_a_wheel_is_numbered_parents_first():
    bodies = [f"b{k}" for k in range(8)]
    joints = [(f"j{k}", bodies[k], bodies[k - 1]) for k in range(8)]
    joints.append(("root", "b5", "world"))
    found = spanning_tree(bodies, joints)
    assert found.depth == 5 and len(found.loops) == 1
    assert all(p < i for i, p in enumerate(found.parents))
    assert found.backward[0] and found.nodes[0] == "b5"


@pytest.mark.parametrize(
    ("joints", "chosen", "text"),
    [
        ([("j", "world", "a")], None, "body 'b': no path of joints leads to 'world'"),
        (
            [("j", "world", "aa")],
            None,
            "joint 'j': no body is called 'aa'; did you mean",
        ),
        ([("j", "world", "a"), ("j", "a", "b")], None, "a name occurs twice"),
        (
            [("j", "world", "a"), ("k", "a", "b")],
            ["l"],
            "tree joint 'l': no such joint",
        ),
        (
            [("j", "world", "a"), ("k", "a", "b"), ("l", "b", "world")],
            ["j", "k", "l"],
            "3 joints for 2 bodies close a loop",
        ),
    ],
)
def test_bad_graphs_are_refused(joints, chosen, text):
    with pytest.raises(ModelError, match=text):
        spanning_tree(["a", "b"], joints, tree=chosen)


BOOK = (0, 1, 1, 0, 3, 4, 4, 4)  # Fig 4.6, one of its readings
FIG46 = tuple(p - 1 for p in BOOK)


def book(nodes):
    return {i + 1 for i in nodes}


def test_sets_of_figure_4_6():
    kappa = {i: book(tree.support(FIG46, i - 1)) for i in (1, 2, 3, 8)}
    assert kappa == {1: {1}, 2: {1, 2}, 3: {1, 3}, 8: {4, 8}}
    mu = {i: book(tree.children(FIG46)[i - 1]) for i in (1, 2, 8)}
    assert mu == {1: {2, 3}, 2: set(), 8: set()}
    nu = {i: book(tree.subtree(FIG46, i - 1)) for i in (1, 2, 8)}
    assert nu == {1: {1, 2, 3, 5}, 2: {2}, 8: {8}}


def test_sums_swap():
    """sum_i sum_{j in kappa(i)} x_ij = sum_j sum_{i in nu(j)} x_ij (4.3)."""
    up = {(i, j) for i in range(8) for j in tree.support(FIG46, i)}
    down = {(i, j) for j in range(8) for i in tree.subtree(FIG46, j)}
    assert up == down


def test_expanded_parents_of_the_book():
    """lambda = (0,1,1,2,2,3), joint 2 of 3 freedoms: (0,1,2,3,1,4,4,5) (check 21)."""
    parents = tuple(p - 1 for p in (0, 1, 1, 2, 2, 3))
    expanded, last = tree.expanded_parents(parents, (1, 3, 1, 1, 1, 1))
    assert tuple(p + 1 for p in expanded) == (0, 1, 2, 3, 1, 4, 4, 5)
    assert (0, *(k + 1 for k in last)) == (0, 1, 4, 5, 6, 7, 8)


def test_a_fixed_joint_vanishes_from_the_expanded_tree():
    assert tree.expanded_parents((-1, 0, 1), (1, 0, 2)) == ((-1, 0, 1), (0, 0, 2))
    assert tree.expanded_parents((-1, 0), (0, 1)) == ((-1,), (-1, 0))


def test_depth_sums():
    """Binary tree of 7: D1 = 10, D2 = 14; chain: (n^2-n)/2, (n^3-n)/6 (check 20)."""
    assert tree.depth_sums((-1, 0, 0, 1, 1, 2, 2)) == (10, 14)
    for n in (1, 2, 7, 20):
        chain = tree.depth_sums(tuple(range(-1, n - 1)))
        assert chain == ((n * n - n) // 2, (n**3 - n) // 6)


def test_numbering_is_depth_first_and_any_depth():
    parents = (2, 0, -1, 2, -1)
    assert tree.depth_first(parents) == (2, 0, 1, 3, 4)
    n = 20_000
    order = tree.depth_first([i + 1 for i in range(n - 1)] + [-1])
    assert list(order) == list(range(n - 1, -1, -1))
    assert all(a > b for a, b in pairwise(order))


def test_cycles_are_found():
    assert tree.cycle((-1, 0, 1, 1)) == ()
    assert set(tree.cycle((-1, 3, 1, 2))) == {1, 2, 3}
    assert tree.cycle((0,)) == (0,)
