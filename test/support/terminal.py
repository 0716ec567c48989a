"""Runs a command at a terminal of its own: terminal.py FOLDER KEYS COMMAND...

KEYS is a list of FILE=KEY by commas: when FILE exists in FOLDER and the live view is up, KEY is typed: `^C`, or `hang-up` to close the terminal.
`leave` closes it whether there is a view or not.
Prints what the terminal showed; the last line is `exit N`, or `signal N`.
"""

import os
import pty
import select
import struct
import sys
import time
import fcntl
import termios

folder, keys = sys.argv[1], [key.split("=") for key in sys.argv[2].split(",")]
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
shown = b""
is_open = True
deadline = time.time() + 100
while is_open and time.time() < deadline:
    is_live = b"\x1b[?25l" in shown
    is_due = is_live or (keys and keys[0][1] == "leave")
    if keys and is_due and os.path.exists(os.path.join(folder, keys[0][0])):
        _, key = keys.pop(0)
        if key in ("hang-up", "leave"):
            os.close(master)
            is_open = False
            break
        os.write(master, b"\x03")
    ready, _, _ = select.select([master], [], [], 0.02)
    if ready:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            chunk = b""
        is_open = chunk != b""
        shown += chunk
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
print(f"\nexit {os.WEXITSTATUS(status)}" if os.WIFEXITED(status) else f"\nsignal {os.WTERMSIG(status)}")
