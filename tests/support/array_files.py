"""Files of arrays that are odd or damaged: a seed gives the same ones on every machine."""

import io
import random
import struct
import zipfile
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

SHAPES: Final = ((), (0,), (7,), (2, 3), (3, 0, 2))
TYPES: Final = ("<f4", ">f4", "<f2", "V2", "<f8", "<i8", "|b1", "<c8", "<U3", "V5", "<M8[us]")

#: what a header may be replaced by, as text
HEADERS: Final = (
    "", " ", "\n", "(", "((((", "(" * 300, "-" * 5000 + "1", "[" * 3000, "{", "}", "{}", "{1: 2}",
    "None", "1e999", "9" * 5000, "'\\ud800'", "'\\N{x}'", "\\x00", "\x00", "\t\tx\n  y\n z",
    "lambda: 0", "f'{x}'", "__import__('os')", "{'descr': '<f4'}",
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (6L,), }", "{'a': {[]: 1}}", "{{}: 1}",
)  # fmt: skip
DESCRIPTORS: Final = (
    "'O'", "'|O'", "'<f4,<f4'", "[('a', '<f4')]", "[('a', 'O')]", "[('a', '<f4', (2**62,))]",
    "[('', '<f4'), ('', '<f4')]", "[(('t', 'n'), '<f4')]", "[('é', '<f4')]", "'V0'", "'S0'",
    "'<U0'", "'V99999999999999999999'", "'U2147483647'", "'V2147483647'", "'<f3'", "'<f16'", "'<g'",
    "'?'", "'=f4'", "'|f4'", "'<M8[us/7]'", "'m8[x]'", "'(2,3)<f4'", "'(-1,)<f4'", "'f4' * 9",
    "None", "7", "(1, 2)", "('<f4', (2,))", "('<f4', {'a': 1})",
    "{'names': ['a'], 'formats': ['O']}", "[[]]", "[]", "()", "''", "'\\x00'", "'T'",
    "'StringDType()'", "b'<f4'", "True", "'bfloat16'", "'<V2'",
)  # fmt: skip
LENGTHS: Final = (
    "()", "(0,)", "(6,)", "(7,)", "(-1,)", "(-2, -3)", "(2, -3)", "(10**18,)", "(2**40, 2**40)",
    "(2**63,)", "(9223372036854775807,)", "(1000000000000,)", "(99999999999999999999999,)",
    "(0, 9223372036854775807)", "(0, 99999999999999999999)", "(1,) * 65", "(True,)", "(6.0,)",
    "(1j,)", "[6]", "(None,)", "('6',)", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 6)", "(" + "1, " * 70 + ")",
    "(0x6,)", "(6_0,)", "((6,),)",
)  # fmt: skip
#: names of members of an archive
NAMES: Final = (
    "", "/", "x", "x/", "../x.npy", "a\nb\r.npy", "\x1b[31m.npy", "\u2028", "µ", "{0}",
    "%s", "x.npy.npy", "dy.npy", "__class__", "x" * 65000,
)  # fmt: skip


def npy(array: Any, version: tuple[int, int] | None = None) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version, allow_pickle=True)
    return file.getvalue()


def with_header(header: str, data: bytes, version: tuple[int, int] = (1, 0)) -> bytes:
    text = header.encode("utf-8", "surrogatepass")
    size = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + size + text + data


def npz(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()


def arrays() -> list[bytes]:
    """Return .npy files of every type, shape and version."""
    found = []
    for kind in TYPES:
        for shape in SHAPES:
            size = int(np.prod(shape, dtype=int)) * np.dtype(kind).itemsize
            array = np.frombuffer(bytes(k % 64 for k in range(size)), kind).reshape(shape)
            found.append(npy(array, (1, 0)))
    six = np.arange(6, dtype="<f4").reshape(2, 3)
    found += [npy(six, version) for version in ((1, 0), (2, 0), (3, 0))]
    found += [npy(six.T), npy(np.array([{}, None], object)), npy(np.zeros(2, [("a", "f4")]))]
    return found


def archives() -> list[bytes]:
    """Return .npz files with every compression that zipfile knows."""
    names = ("dy.npy", "x.npy")
    pairs = [dict(zip(names, (one, one), strict=True)) for one in arrays()[:20:3]]
    kinds = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return [npz(pair, kind) for pair in pairs for kind in kinds]


def odd_files(every: bool) -> Iterator[bytes]:
    """Yield files with odd headers, and archives with odd members.

    Each header comes in every version and in an archive, or in one of these.
    """
    data = bytes(range(24))
    plain = "{'descr': %s, 'fortran_order': False, 'shape': %s, }"
    headers = [*HEADERS, *(plain % (kind, "(6,)") for kind in DESCRIPTORS)]
    headers += [plain % (kind, shape) for kind in ("'<f4'", "'V2'", "'V0'") for shape in LENGTHS]
    for number, header in enumerate(headers):
        versions = ((1, 0), (1, 0), (2, 0), (3, 0), (4, 7))
        for version in versions if every else versions[number % 5 :][:1]:
            yield with_header(header, data, version)
        if every or number % 4 == 0:
            bad = with_header(header, data)
            yield npz({"dy.npy": bad, "x.npy": bad})
    good = npy(np.arange(6, dtype="<f4"))
    for name in NAMES:
        yield npz({"x.npy": good, name: good})
        yield npz({"dy.npy": good, "x.npy": good, name: b"text"})
    whole = npz({"dy.npy": good, "x.npy": good})
    for offset in (6, 8):  # encrypted, or by a compression that there is not
        for value in (1, 9, 12, 93, 97, 99, 0x41, 0x800, 0xFFFF):
            yield _patched(whole, offset, value)
    yield from (
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PK\x05\x06" + bytes(18),
    )
    yield from (b"\x80\x04N.", bytes(100), b"\x93NUMPY\x01\x00\xff\xff", b"\xff" * 4096)


def _patched(archive: bytes, offset: int, value: int) -> bytes:
    """Return an archive with a field of every header of a member changed."""
    made = bytearray(archive)
    for magic, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        at = archive.find(magic)
        while at >= 0:
            struct.pack_into("<H", made, at + offset + shift, value)
            at = archive.find(magic, at + 4)
    return bytes(made)


def _damaged(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return a file with one damage; others are files of its kind."""
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 2, 4, 8, 30))
    before, after, other = data[:at], data[at + size :], rng.choice(others)
    flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in data[at : at + size])
    filling = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size)))
    inserted = rng.choice((b"(", b"'", b"\n", b"\x00", b"[" * 200, b"-" * 200, rng.randbytes(5)))
    # a token of a header, where it can be seen
    token = rng.choice((b"'<f4'", b"(7,)", b"(2, 3)", b"False", b"'descr'", b"}", b", ", b": "))
    to = rng.choice((*DESCRIPTORS, *LENGTHS, "(", "'", "\t", "\\", "#", "0x", "9" * 4400)).encode()
    return rng.choice((
        before,
        before + flipped + after,
        before + filling + after,
        before + other[rng.randrange(len(other) + 1) :],
        before + after,
        before + inserted + data[at:],
        data.replace(token, to, 1),
    ))  # fmt: skip


def damaged_files(count: int, seed: int) -> Iterator[bytes]:
    """Yield as many damaged files, each damaged in one to three ways."""
    rng = random.Random(seed)
    singles, pairs = arrays(), archives()
    for _ in range(count):
        files = rng.choice((singles, pairs, pairs))
        data = rng.choice(files)
        for _ in range(rng.choice((1, 1, 2, 3))):
            data = _damaged(data, rng, files)
        yield data
