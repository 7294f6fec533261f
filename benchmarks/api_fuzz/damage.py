"""Damage to files: of their bytes, of the arrays of an .npz file, of the values in a JSON text.

Each kind of damage is a function of random numbers and content; some leave a file as sound as it was.
"""

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["BYTES", "JSON", "NPZ", "Damage"]

Damage = Callable[[random.Random, bytes], bytes]


class _Evil:
    """What would run code if anybody unpickled it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('code from a file was run')",)


# ------------------------------------------------------------------ bytes


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content))]


def _flip_bits(rng: random.Random, content: bytes) -> bytes:
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _overwrite(rng: random.Random, content: bytes) -> bytes:
    begin = rng.randrange(len(content))
    length = min(len(content) - begin, rng.choice((1, 4, 16, 256)))
    new = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    return content[:begin] + new + content[begin + length :]


def _insert(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + rng.randbytes(rng.choice((1, 3, 100))) + content[place:]


def _remove(rng: random.Random, content: bytes) -> bytes:
    begin = rng.randrange(len(content))
    return content[:begin] + content[begin + rng.choice((1, 5, 50)) :]


def _repeat(rng: random.Random, content: bytes) -> bytes:
    begin = rng.randrange(len(content))
    return content[:begin] + content[begin // 2 :]


def _other(rng: random.Random, content: bytes) -> bytes:
    return rng.choice(
        (
            b"",
            rng.randbytes(len(content)),
            bytes(len(content)),
            b"PK\x03\x04",
            b"{}",
            b"[]",
            b"null",
            b"[" * 100_000,
            b"solid",
            b"\x93NUMPY",
            b"\x80\x04\x95",
            b"\xff\xfe" + content,
        )
    )


BYTES: dict[str, Damage] = {
    "cut short": _cut,
    "bits flipped": _flip_bits,
    "bytes overwritten": _overwrite,
    "bytes inserted": _insert,
    "bytes removed": _remove,
    "part repeated": _repeat,
    "something else": _other,
}


# ------------------------------------------------------------------ arrays


def _npz(change: Callable[[random.Random, dict[str, np.ndarray]], None]) -> Damage:
    """Return damage that is done to the arrays of a file, which is written anew with right check sums."""

    def damage(rng: random.Random, content: bytes) -> bytes:
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
        change(rng, arrays)
        out = io.BytesIO()
        np.savez_compressed(out, **arrays)
        return out.getvalue()

    return damage


def _drop(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    del arrays[rng.choice([name for name in arrays if name != "colors"])]


def _retype(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    name = rng.choice([*arrays])
    kinds = [
        k
        for k in ("float32", "int8", "complex128", "U3", "S3", ">f8", "bool")
        if np.dtype(k) != arrays[name].dtype
    ]
    arrays[name] = np.zeros(arrays[name].shape, rng.choice(kinds))


def _reshape(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    name = rng.choice([*arrays])
    array = arrays[name]
    arrays[name] = rng.choice(
        (
            array[None],
            np.concatenate([np.atleast_1d(array).ravel()] * 2),
            np.atleast_1d(array).ravel()[:0],
            np.zeros((3, 5, 7), array.dtype),
        )
    )


def _not_finite(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    name = rng.choice([n for n, a in arrays.items() if a.dtype.kind == "f" and a.size and n != "colors"])
    arrays[name] = arrays[name].copy()
    flat = arrays[name].reshape(-1)
    flat[rng.randrange(len(flat))] = rng.choice((np.nan, np.inf, -np.inf))


def _pickled(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    arrays[rng.choice([*arrays])] = np.array([_Evil()], dtype=object)


def _large(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    name = rng.choice([*arrays])
    arrays[name] = np.zeros(rng.choice((10_000_000, 20_000_000)), np.uint8)


def _unknown(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    arrays["another"] = np.zeros(3)


def _in_text(rng: random.Random, arrays: dict[str, np.ndarray]) -> None:
    """Damage the JSON text that one of the arrays holds."""
    texts = [n for n, a in arrays.items() if (a.dtype.kind == "U" and a.ndim == 0) or n == "header"]
    name = rng.choice(texts)
    array = arrays[name]
    text = str(array) if array.dtype.kind == "U" else array.tobytes().decode()
    new = JSON[rng.choice([*JSON])](rng, text.encode())
    if array.dtype.kind == "U":
        arrays[name] = np.array(new.decode(errors="replace"))
    else:
        arrays[name] = np.frombuffer(new, np.uint8)


def _bomb(rng: random.Random, content: bytes) -> bytes:
    """Return a small file that says, truly or not, that it becomes very large."""
    length = rng.choice((10**9, 10**12, 2**62))
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({length},), }}".ljust(117) + "\n"
    begin = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            if name != chosen:
                new.writestr(name, old.read(name))
        new.writestr(chosen, begin + bytes(rng.choice((100, 50_000_000))))
    return out.getvalue()


def _many(rng: random.Random, content: bytes) -> bytes:
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as file:
        for number in range(rng.choice((1, 5000))):
            file.writestr(f"{number}.npy", b"\x93NUMPY")
    return out.getvalue()


NPZ: dict[str, Damage] = {
    "array dropped": _npz(_drop),
    "array of another type": _npz(_retype),
    "array of another shape": _npz(_reshape),
    "not finite": _npz(_not_finite),
    "pickled code": _npz(_pickled),
    "array too large": _npz(_large),
    "unknown array": _npz(_unknown),
    "text damaged": _npz(_in_text),
    "bomb": _bomb,
    "many members": _many,
}


# ------------------------------------------------------------------ JSON


def _json(change: Callable[[random.Random, Any, Any, Any], None]) -> Damage:
    """Return damage that is done to one value of a JSON text: `change(rng, whole, parent, place)`."""

    def damage(rng: random.Random, content: bytes) -> bytes:
        whole = json.loads(content)
        places: list[tuple[Any, Any]] = []
        _collect(whole, places)
        parent, place = rng.choice(places) if places else (None, None)
        change(rng, whole, parent, place)
        return json.dumps(whole).encode()

    return damage


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    keys: Any = (
        value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        places.append((value, key))
        _collect(value[key], places)


def _delete(rng: random.Random, whole: Any, parent: Any, place: Any) -> None:
    if parent is not None:
        del parent[place]


def _replace(rng: random.Random, whole: Any, parent: Any, place: Any) -> None:
    if parent is not None:
        parent[place] = rng.choice(
            (None, True, -1, 0, 3.5, "text", [], {}, [[1]], {"a": 1}, "", "\ud800", 10**30, 1e308, -(10**30))
        )


def _odd_number(rng: random.Random, whole: Any, parent: Any, place: Any) -> None:
    if parent is not None:
        parent[place] = rng.choice((float("nan"), float("inf"), float("-inf"), 2**63, 2**64, 10**400))


def _version(rng: random.Random, whole: Any, parent: Any, place: Any) -> None:
    if isinstance(whole, dict):
        whole[rng.choice(("format", "version"))] = rng.choice((0, -1, 2, 99, 1.5, "1", None, True, [1]))


def _more(rng: random.Random, whole: Any, parent: Any, place: Any) -> None:
    if isinstance(parent, dict):
        parent["another"] = 1
    elif isinstance(parent, list):
        parent.extend(parent[:1] * rng.choice((1, 1000)))


def _deep(rng: random.Random, content: bytes) -> bytes:
    depth = rng.choice((100, 100_000))
    place = content.find(b":") + 1 or 1
    return content[:place] + b"[" * depth + b"]" * depth + b"," + content[place:]


def _twice(rng: random.Random, content: bytes) -> bytes:
    return content[:-1] + b',"format":1,"format":1}' if content.endswith(b"}") else content + content


JSON: dict[str, Damage] = {
    "value dropped": _json(_delete),
    "value of another type": _json(_replace),
    "odd number": _json(_odd_number),
    "another version": _json(_version),
    "more values": _json(_more),
    "deep": _deep,
    "name twice": _twice,
}
