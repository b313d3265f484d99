"""Opens the result files of impakt for the scripts beside it, with errors people can act on."""

import h5py


class WrongInput(Exception):
    """A file, or something asked of it, that a script cannot use."""


def open_result(path, needed):
    """An open result file that has all `needed` groups or datasets."""
    if not path.is_file():
        raise WrongInput(f"{path}: no such file; make it with `impakt run`")
    if not h5py.is_hdf5(path):
        raise WrongInput(f"{path}: not an HDF5 file; an impakt result (.vtkhdf) is expected")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise WrongInput(f"{path}: cannot be opened: {error}") from error
    for name in needed:
        if name not in file:
            raise WrongInput(f"{path}: no /{name}; not a result of impakt run")
    return file


class Frames:
    """What a result file stores over time: where the points are in each frame, and the cells of each body by the body's name."""

    def __init__(self, file):
        grid = file["VTKHDF"]
        offsets, nodes, owner = grid["Offsets"][:], grid["Connectivity"][:], grid["CellData/body"][:]
        names = [name.decode() if isinstance(name, bytes) else name for name in file["parts/names"][:]]
        self.cells = {name: [] for name in names}
        # a mesh that does not change is stored once
        for a, b, of in zip(offsets, offsets[1:], owner):
            self.cells[names[int(of)]].append(tuple(int(k) for k in nodes[a:b]))
        self.times = grid["Steps/Values"][:]
        count = int(grid["NumberOfPoints"][0])
        points = grid["Points"][:]
        self.points = [points[start:start + count] for start in grid["Steps/PointOffsets"][:]]
