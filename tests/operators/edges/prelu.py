"""Edges of prelu."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry

PRELU = Entry(EVERYWHERE, [()], [
    *[Edge("the first branch selects: no weight leaks into it", (),
           ((2, 0.5, inf), (leak,)), (2, 0.5, inf)) for leak in (inf, -inf, nan)],
    Edge("±0 take the second branch", (), ((0, -0.0), (0.5,)), (0, -0.0)),
    Edge("±0 with a negative weight", (), ((0, -0.0), (-1,)), (-0.0, 0)),
    Edge("0 and infinity have no product", (), ((0, -0.0, -1), (inf,)), (nan, nan, -inf)),
    Edge("infinity and 0 have no product", (), ((-inf, -1, inf), (0,)), (nan, -0.0, inf)),
    Edge("infinities", (), ((-inf, inf), (0.5,)), (-inf, inf)),
    Edge("a negative weight", (), ((-2, 2), (-0.5,)), (1, 2)),
    Edge("NaN is not above 0: the second branch", (), ((nan, -1), (0.5,)), (nan, -0.5)),
])  # fmt: skip

PRELU_BACKWARD = Entry(TRAINING_A2_A3, [()], [
    *[Edge("the first branch selects: no weight leaks into it", (),
           ((2, -0.0), (1, inf), (leak,)), (2, -0.0), (0,)) for leak in (inf, -inf, nan)],
    Edge("no gradient of a positive input leaks into the sum", (),
         ((inf, nan, -1), (1, 2, 3), (1,)), (inf, nan, -1), (0,)),
    Edge("NaN is not above 0: the second branch", (),
         ((4, 1), (nan, -1), (0.5,)), (2, 0.5), (nan,)),
    Edge("±0 take the second branch", (), ((4, 4), (0, -0.0), (0.5,)), (2, 2), (0,)),
    *[Edge("a single term of -0 sums to -0", (), ((grad,), (x,), (1,)), (grad,), (-0.0,))
      for grad, x in ((1, -0.0), (-1, 0.0), (-0.0, 0.0))],
    Edge("a masked term is +0", (), ((1, 1), (-0.0, 5), (1,)), (1, 1), (0,)),
    Edge("infinite terms of both signs", (), ((inf, -inf), (-1, -1), (1,)), (inf, -inf), (nan,)),
])  # fmt: skip
