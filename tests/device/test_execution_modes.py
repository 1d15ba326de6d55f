"""Execution modes: which orders they give; `test_orderings` has what programs get from them."""

import ascendref as ar

from .calls import work


def repeated(order):
    """Return the orders that seeds give, which are the same a second time."""
    orders = [order(seed) for seed in range(20)]
    assert orders == [order(seed) for seed in range(20)]
    return orders


def order(seed):
    dev = ar.Device("Atlas A2", execution="random", seed=seed)
    streams, seen = [dev.create_stream() for _ in range(4)], []
    for k in range(40):
        dev.launch(streams[k % 4], lambda k=k: seen.append(k), (), (), "")
    dev.synchronize()
    assert sorted(seen) == list(range(40))
    for first in range(4):
        assert [k for k in seen if k % 4 == first] == list(range(first, 40, 4))
    return dev.seed, seen


def test_the_same_seed_gives_the_same_order():
    assert len({tuple(seen) for _, seen in repeated(order)}) == 20


def test_a_drawn_seed_can_be_used_again():
    seed, seen = order(None)
    assert order(seed) == (seed, seen)


def test_lazy_runs_only_what_a_wait_needs():
    dev = ar.Device("Atlas A2", execution="lazy")
    a, b, c = (dev.create_stream() for _ in range(3))
    event, seen = dev.create_event(), []

    def task(stream, name):
        dev.launch(stream, lambda: seen.append(name), (), (), name)

    task(a, "a1")
    event.record(a)
    task(a, "a2")
    task(b, "b1")
    b.wait_event(event)
    task(b, "b2")
    task(c, "c1")
    assert seen == []
    b.synchronize()
    assert seen == ["b1", "a1", "b2"]
    event.synchronize()
    assert seen == ["b1", "a1", "b2"]
    dev.synchronize()
    assert seen == ["b1", "a1", "b2", "c1", "a2"]


def test_random_needs_no_host_function_that_nobody_waits_for():
    """It might wait for what the waiting thread does next."""
    for seed in range(20):
        dev = ar.Device("Atlas A2", execution="random", seed=seed)
        held, free, seen = dev.create_stream(), dev.create_stream(), []
        held.launch_host_func(lambda seen=seen: seen.append("host"))
        work(dev, free, lambda seen=seen: seen.append("kernel"))
        free.synchronize()
        assert seen == ["kernel"]
        dev.synchronize()
        assert seen == ["kernel", "host"]


def test_random_orders_the_host_functions_that_a_wait_is_for():
    def order(seed):
        dev = ar.Device("Atlas A2", execution="random", seed=seed)
        streams, seen = [dev.create_stream() for _ in range(4)], []
        event = dev.create_event()
        for k in range(20):
            streams[k % 4].launch_host_func(lambda k=k: seen.append(k))
        event.record(streams[0])
        streams[1].wait_event(event)
        streams[0].launch_host_func(lambda: seen.append("not needed"))
        streams[1].synchronize()
        for stream in streams:
            stream.abort()
        return seen

    orders = repeated(order)
    assert len({tuple(seen) for seen in orders}) > 10
    for seen in orders:
        assert [k for k in seen if k % 4 == 0] == [0, 4, 8, 12, 16]
        assert [k for k in seen if k % 4 == 1] == [1, 5, 9, 13, 17]
        assert len(seen) == 10


def test_random_orders_are_repeated_by_polling_programs_too():
    def order(seed):
        dev = ar.Device("Atlas A2", execution="random", seed=seed)
        a, b, seen = dev.create_stream(), dev.create_stream(), []
        for k in range(5):
            work(dev, a, lambda k=k: seen.append(k))
            work(dev, b, lambda k=k: seen.append(k + 10))
        a.launch_host_func(lambda: seen.append("host"))
        while not a.query():
            pass
        b.abort()
        return seen

    repeated(order)


def test_long_chains_of_waits(any_dev):
    streams, seen = [any_dev.create_stream() for _ in range(20)], []
    for k in range(400):
        stream = streams[k % 20]
        event = any_dev.create_event()
        work(any_dev, stream, lambda k=k: seen.append(k))
        event.record(stream)
        streams[(k + 1) % 20].wait_event(event)
    any_dev.synchronize()
    assert seen == list(range(400))


def test_a_device_remembers_what_it_was_asked(dev):
    assert dev.check is True
    assert ar.Device("Atlas A2", check=False).check is False
    assert ar.Device("Atlas A2", execution="random", seed=5).seed == 5
    assert repr(dev) == "<Ascend910B1 (Atlas A2), eager>"
