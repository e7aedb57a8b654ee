"""All lab cases, grouped by where the time goes. Importing the package fills the registry."""

from . import compute, copies, healthy, host, kernels, launches, loader, memory, syncs  # noqa: F401
