"""The limits of one submission, and its sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The limits of one submission.

    total_s      wall-clock seconds for a notebook; cell_s for one cell
    cpu_s        CPU seconds of all its processes
    memory_mb    memory of all its processes; disk_mb of the private folder, also in memory
    processes    concurrent processes and threads
    output_kb    kept output of one cell
    sandbox      "bwrap" (bubblewrap), or "none": the program has your rights
    """

    total_s: int = 600
    cell_s: int = 120
    cpu_s: int = 600
    memory_mb: int = 3072
    disk_mb: int = 256
    processes: int = 96
    output_kb: int = 500
    sandbox: str = "bwrap"
