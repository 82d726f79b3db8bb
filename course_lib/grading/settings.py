"""What one hand-in may use, and where it runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The limits of one hand-in.

    total_s      seconds for a whole notebook, by the clock; cell_s for one cell
    cpu_s        seconds of processor time, of all its processes
    memory_mb    memory of all its processes together; disk_mb of the private folder, which lies in memory too
    processes    processes and threads at a time
    output_kb    what is kept of the output of one cell
    sandbox      "bwrap" (bubblewrap), or "none": the program can do all that you can
    """

    total_s: int = 600
    cell_s: int = 120
    cpu_s: int = 600
    memory_mb: int = 3072
    disk_mb: int = 256
    processes: int = 96
    output_kb: int = 500
    sandbox: str = "bwrap"
