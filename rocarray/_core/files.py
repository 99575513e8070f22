"""Arrays in files: NumPy's formats, read and written on the host."""

import numpy as np

from rocarray._core.conversion import asarray, asnumpy
from rocarray._core.ndarray import ndarray


def save(file, arr, allow_pickle=True):
    """Writes an array to a .npy file (waits for the device)."""
    np.save(file, asnumpy(arr, order="A"), allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to an uncompressed .npz file (waits for the device)."""
    np.savez(file, *map(asnumpy, args), **{name: asnumpy(a) for name, a in kwds.items()})


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a compressed .npz file (waits for the device)."""
    np.savez_compressed(file, *map(asnumpy, args), **{k: asnumpy(a) for k, a in kwds.items()})


class ArchiveReader:
    """The arrays of a .npz file by name; each is read and moved to the device when asked for."""

    def __init__(self, archive):
        self._archive = archive
        self.files = archive.files

    def __getitem__(self, name):
        return asarray(self._archive[name])

    def __contains__(self, name):
        return name in self.files

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def keys(self):
        return list(self.files)

    def items(self):
        return [(name, self[name]) for name in self.files]

    def close(self):
        self._archive.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def load(file, mmap_mode=None, allow_pickle=False, **options):
    """A device array from a .npy file, or a reader of the arrays of a .npz file."""
    loaded = np.load(file, mmap_mode, allow_pickle, **options)
    return asarray(loaded) if isinstance(loaded, np.ndarray) else ArchiveReader(loaded)


def savetxt(fname, X, *args, **kwargs):
    """Writes an array as text (waits for the device); see `numpy.savetxt`."""
    np.savetxt(fname, asnumpy(X) if isinstance(X, ndarray) else X, *args, **kwargs)


def loadtxt(fname, *args, **kwargs):
    """A device array from a text file; see `numpy.loadtxt`."""
    result = np.loadtxt(fname, *args, **kwargs)
    return tuple(map(asarray, result)) if isinstance(result, (list, tuple)) else asarray(result)


def genfromtxt(fname, *args, **kwargs):
    """A device array from a text file with missing values; see `numpy.genfromtxt`."""
    return asarray(np.genfromtxt(fname, *args, **kwargs))


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """A device array from a raw or text file; see `numpy.fromfile`."""
    return asarray(np.fromfile(file, dtype, count, sep, offset))


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """A 1-D device array from numbers in a text; see `numpy.fromstring`."""
    return asarray(np.fromstring(string, dtype, count, sep=sep))


__all__ = ["fromfile", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
           "savez_compressed"]  # fmt: skip
