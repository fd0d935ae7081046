"""What has to cross between nodes in a sweep of each shape of bench/shapes, however it is scheduled.

Caches are as large as they like and hold what was fetched until somebody writes it; each node has an
equal share of the data, and each task runs where what it writes is. Pages count as nothing: data lies
where it is best line by line. What the runtimes write to run tasks is not in it. The factorisation's is the best
of some schedules and no proof that none is better.
"""

import itertools

LINE = 64
DOUBLE, FLOAT, KEY = 8, 4, 4


def nothing(_sizes, _nodes):
    """Each piece of all vectors is used by tasks of one node only."""
    return 0


def halo(sizes, nodes):
    """Between runs of whole rows, one row in either direction: any other cut is longer."""
    return 2 * (nodes - 1) * sizes[0] * DOUBLE // LINE


def sort(sizes, nodes):
    """A key comes to lie anywhere: all but 1/nodes of them leave their node once, which is enough if
    merges put each key at once on the node where it will stay."""
    return sizes[0] * KEY // LINE * (nodes - 1) // nodes


def is_there(i, j):
    """bench/shapes/slots.c"""
    return abs(i - j) <= 1 or (i % 2 == 0 and j % 2 == 0 and min(i, j) % 3 == 0)


def first_blocks(blocks):
    """Those that are there before the factorisation."""
    return {(i, j) for i in range(blocks) for j in range(blocks) if is_there(i, j)}


def factorisation(blocks):
    """Its tasks: the blocks that one reads, and the block that it writes."""
    there = first_blocks(blocks)
    for k in range(blocks):
        rows = [i for i in range(k + 1, blocks) if (i, k) in there]
        columns = [j for j in range(k + 1, blocks) if (k, j) in there]
        yield [], (k, k)
        yield from (([(k, k)], (k, j)) for j in columns)
        yield from (([(k, k)], (i, k)) for i in rows)
        for i, j in itertools.product(rows, columns):
            there.add((i, j))
            yield [(i, k), (k, j)], (i, j)


def lu(sizes, nodes):
    """Each block goes once to each other node that holds a block which is computed from it; the least
    of the ways to deal blocks to nodes by row and column modulo a grid of nodes."""
    blocks, rows = sizes
    readers = {}
    for read, written in factorisation(blocks):
        for block in read:
            readers.setdefault(block, set()).add(written)

    def copies(down, across):
        node = {block: block[0] % down * across + block[1] % across for block in
                itertools.product(range(blocks), repeat=2)}
        return sum(len({node[to] for to in some} - {node[block]}) for block, some in readers.items())

    grids = [(down, nodes // down) for down in range(1, nodes + 1) if nodes % down == 0]
    return min(copies(*grid) for grid in grids) * rows * rows * FLOAT // LINE


OF_SWEEP = {"flags": halo, "slots": lu, "sections": halo, "indices": nothing, "pointers": nothing,
            "recursion": sort, "taskloop": halo, "serial": halo, "pieces": halo, "numbers": halo}
