"""The lock's lines: one for each package, exact, and marked where only some platforms need it."""

from scripts.lock import lock_lines

NEEDS = {
    "linux": {"torch": "2.13.0+cpu", "pexpect": "4.9", "only-linux": "1.0"},
    "darwin": {"torch": "2.13.0+cpu", "pexpect": "4.9", "appnope": None},
    "win32": {"torch": "2.13.0+cpu", "pywinpty": None},
}


def test_lines_say_who_needs_what():
    asked = []

    def elsewhere(name, platform):
        asked.append((name, platform))
        return "9.9"

    assert list(lock_lines(NEEDS, elsewhere)) == [
        'appnope==9.9 ; sys_platform == "darwin"',
        'only-linux==1.0 ; sys_platform == "linux"',
        'pexpect==4.9 ; sys_platform != "win32"',
        'pywinpty==9.9 ; sys_platform == "win32"',
        "torch==2.13.0",
    ]
    assert asked == [("appnope", "darwin"), ("pywinpty", "win32")]
