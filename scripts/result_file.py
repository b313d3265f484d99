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
