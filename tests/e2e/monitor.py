#!/usr/bin/env python3
"""assay counters monitor on a terminal of its own (a pty). TAP.   ASSAY=path tests/e2e/monitor.py"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ASSAY = os.environ["ASSAY"]
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?7h\x1b[?25h\x1b[?1049l"
number = 0


def ok(name, condition, detail=""):
    global number
    number += 1
    print(f"{'ok' if condition else 'not ok'} {number} - {name}")
    if not condition:
        print("\n".join("# " + line for line in str(detail).splitlines()))


class Terminal:
    """A program in the foreground of a new terminal."""

    def __init__(self, columns, lines, *args):
        self.master, self.slave = pty.openpty()
        self.size(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        env = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
        env.pop("CI", None)
        self.process = subprocess.Popen(
            [ASSAY, *args], stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def size(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds, until=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until(self)):
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    self.output += os.read(self.master, 65536)
                except OSError:
                    return
            elif self.process.poll() is not None:
                return

    def frame(self):
        """The lines of the last whole picture."""
        frames = [f for f in self.output.split(b"\x1b[H")[1:] if b"\x1b[J" in f]
        if not frames:
            return []
        text = frames[-1].split(b"\x1b[J")[0].decode()
        return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line) for line in text.split("\r\n")]

    def keys(self, text):
        os.write(self.master, text)

    def wait(self):
        self.read(5, lambda t: t.process.poll() is not None)
        self.read(0.2)
        return self.process.poll()

    def restored(self):
        return self.output.rstrip().endswith(LEAVE) and termios.tcgetattr(self.slave) == self.before


def shows(text):
    return lambda t: any(text in line for line in t.frame())


def fits(t, columns, lines):
    frame = t.frame()
    return len(frame) == lines and all(len(line) <= columns for line in frame)


target = subprocess.Popen([sys.executable, "-c", "while True: pass"])
try:
    pid = str(target.pid)
    t = Terminal(60, 20, "counters", "monitor", "-p", pid, "--refresh-interval", "0.2")
    t.read(10, shows("process.cpu.time"))
    ok("60 columns: it fits, and takes the other screen",
       fits(t, 60, 20) and ENTER in t.output, "\n".join(t.frame()))
    t.read(2)
    t.size(200, 50)
    t.output = b""
    t.read(5, lambda x: fits(x, 200, 50))
    ok("200 columns after a change of size", fits(t, 200, 50), "\n".join(t.frame()))
    ok("whole names, values, a course",
       any(re.match(r" process\.cpu\.time \(s/s\) \[state=user\] +[01]\.?\d* .*[▁▂▃▄▅▆▇█]{3}", line)
           for line in t.frame()), "\n".join(t.frame()))
    t.keys(b"s")
    t.read(3, shows("now by change"))
    ok("s sorts by change", shows("now by change")(t), "\n".join(t.frame()))
    t.size(80, 10)
    t.read(3, lambda x: fits(x, 80, 10))
    t.keys(b"\x1b[B\x1b[Bj")
    t.read(3, shows("4-11 of"))
    ok("arrows scroll", shows("4-11 of")(t), "\n".join(t.frame()))
    t.keys(b"p")
    t.read(3, shows("PAUSED"))
    t.output = t.output[-4000:]
    before = t.output.count(b"\x1b[H")
    t.read(0.8)
    ok("p pauses", shows("PAUSED")(t) and t.output.count(b"\x1b[H") == before)
    t.keys(b"q")
    code = t.wait()
    ok("q ends it with 0 and gives the terminal back", code == 0 and t.restored(), (code, t.output[-200:]))

    for name, how in [("Ctrl-C", lambda x: x.keys(b"\x03")),
                      ("SIGTERM", lambda x: x.process.send_signal(signal.SIGTERM)),
                      ("SIGHUP", lambda x: x.process.send_signal(signal.SIGHUP))]:
        t = Terminal(80, 24, "counters", "monitor", "-p", pid, "--refresh-interval", "0.2")
        t.read(10, shows("process.cpu.time"))
        how(t)
        code = t.wait()
        ok(f"{name} ends it with 0 and gives the terminal back", code == 0 and t.restored(),
           (code, t.output[-200:]))

    t = Terminal(80, 24, "counters", "monitor", "-p", pid, "--refresh-interval", "0.2")
    t.read(10, shows("process.cpu.time"))
    t.process.send_signal(signal.SIGABRT)
    code = t.wait()
    ok("a crash gives the terminal back", code == -signal.SIGABRT and t.restored(), (code, t.output[-200:]))

    t = Terminal(80, 24, "counters", "monitor", "-p", pid, "--refresh-interval", "0.2")
    t.read(10, shows("process.cpu.time"))
    t.process.send_signal(signal.SIGTSTP)
    time.sleep(0.5)
    t.read(0.3)
    # of an orphaned group, as here, the kernel does not stop it; the way out and in is the same
    ok("SIGTSTP leaves the screen and takes it again", t.output.count(LEAVE) == 1
       and t.output.rfind(ENTER) > t.output.rfind(LEAVE), t.output[-300:])
    t.process.send_signal(signal.SIGCONT)
    t.keys(b"q")
    ok("and ends as ever", t.wait() == 0 and t.restored(), t.output[-200:])

    t = Terminal(80, 24, "counters", "monitor", "-p", pid, "--refresh-interval", "0.2")
    t.read(10, shows("process.cpu.time"))
    target.kill()
    target.wait()
    code = t.wait()
    ok("the target's end is said on the terminal that was given back",
       code == 0 and b"has ended" in t.output.split(LEAVE)[-1]
       and termios.tcgetattr(t.slave) == t.before, (code, t.output[-200:]))
finally:
    target.kill()
print(f"1..{number}")
