#!/usr/bin/env bash
# The line that a terminal shows at a site which is not the root: the iteration, the residual, and who is awaited since when.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"

# Site 1 on a terminal of 80 columns; site 2 falls asleep in the middle.
study_of 3 "components = 2" "method = deepca" "iterations = 10000000" "tolerance = 0"
start 0
start 2
python3 - "$program" "${pid[2]}" <<'P' || fail "the line of progress"
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

program, sleeper = sys.argv[1], int(sys.argv[2])
node, terminal = pty.fork()
if node == 0:
    os.execv(program, [program, "node", "heart.study", "data.1.csv", "--key", "key.1", "--state", "state.1"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
seen = ""

def await_line(pattern):
    """Read on until a drawn line is like this."""
    global seen
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536).decode()
        lines = re.split(r"\r\n|\r", seen.replace("\033[K", ""))
        seen = lines[-1]
        for line in lines:
            if not line.startswith("eigenmesh: ") and len(line) > 79: sys.exit(f"too wide: {line}")
            if re.fullmatch(pattern, line): return line
    sys.exit(f"not seen: {pattern}; but {lines}")

waiting = r"   waiting for s2, \d+ s"
number = r"\d\.\d\de[+-]\d\d"
try:
    print(await_line(rf"iteration \d+ of 10000000   residual {number}   \d+ a second   .*left"))
    os.kill(sleeper, signal.SIGSTOP)
    print(await_line(rf"iteration \d+   residual {number}{waiting}"))
finally:
    os.kill(node, signal.SIGKILL)
P
kill -CONT "${pid[2]}"
echo "ok: the line of progress"
