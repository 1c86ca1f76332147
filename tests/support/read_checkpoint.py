#!/usr/bin/env python3
"""Reads a checkpoint with h5py alone: no MANIFEST, none of our code.

usage: read_checkpoint.py STEP_DIR OUT_DIR

Rebuilds each tensor by putting the shards' slices together in the order of their `start`, writes its bytes
to OUT_DIR/<group>.<name> (per-rank tensors: one file a shard, with .00000, .00001 ... behind), and prints a
line each: path, dtype, shape.
"""
import pathlib
import sys

import h5py
import numpy


def datasets(file):
    found = []
    file.visititems(lambda name, item: found.append((name, item)) if isinstance(item, h5py.Dataset) else None)
    return found


def main(step, out):
    pieces = {}
    for number, shard in enumerate(sorted(pathlib.Path(step).glob("shard-*-of-*.h5"))):
        with h5py.File(shard, "r") as file:
            for name, dataset in datasets(file):
                if "dtype" not in dataset.attrs:  # a Saveable's text: a string padded with zeros
                    (out / name.replace("/", ".")).write_bytes(dataset[()])
                    print(f"/{name} text")
                    continue
                about = {key: dataset.attrs[key] for key in ("dtype", "global_shape", "start", "spread")}
                pieces.setdefault(name, []).append((int(about["start"]), number, dataset[()], about))
    for name, slices in pieces.items():
        slices.sort(key=lambda piece: piece[:2])
        about = slices[0][3]
        shape = tuple(int(extent) for extent in about["global_shape"])
        kind = about["dtype"].decode() if isinstance(about["dtype"], bytes) else str(about["dtype"])
        file = name.replace("/", ".")
        if about["spread"] in (b"per_rank", "per_rank"):
            for _, number, values, _ in slices:
                (out / f"{file}.{number:05}").write_bytes(numpy.ascontiguousarray(values).tobytes())
        else:
            arrays = [values for _, _, values, _ in slices]
            whole = arrays[0] if shape == () else numpy.concatenate(arrays, axis=0)
            if numpy.shape(whole) != shape:
                sys.exit(f"/{name}: slices give {numpy.shape(whole)}, global_shape is {shape}")
            (out / file).write_bytes(numpy.ascontiguousarray(whole).tobytes())
        print(f"/{name} {kind} {list(shape)}")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
