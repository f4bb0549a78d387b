"""Type in a page as it stands, and see whether it says the truth: typed.py PAGE

Of the page's blocks of code, one whose first line has a name behind its language (```c first.c) is a file, which is
written. In all others a line that begins with "$ " is a command; it goes on after a backslash and until a
here-document ends. What stands below a command is what it must print; "..." is any number of lines, or the rest of
one. A prompt with a name, as "oslo$ ", is a terminal of its own: it runs beside the others, until a plain "$ " or the
end of the page waits for all. No block may be neither.

Numbers that differ between machines or runs are compared by their kind alone: rounding errors (1.2e-16), times,
threads, keys, fingerprints, dates. Others must be there as they are; those with a point, but for one in their last
digit."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "tests" / "net"))
from free_ports import free_ports  # noqa: E402
LIMIT = 300  # seconds, for a command: far more than any takes
LOOSE = [(r"\bem1[a-z0-9]{58}\b", "ID"), (r"\b([0-9a-f]{4} ){9}[0-9a-f]{4}\b", "FINGERPRINT"),
         (r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC", "DATE"), (r"\b\d+(\.\d+)?(e[-+]\d+)? (us|ms|s|min)\b", "TIME"),
         (r"[-+]?\d+(\.\d+)?e[-+]\d+", "TINY"), (r"\b\d+ threads?\b", "THREADS")]


class Step:
    """A command, the terminal it is typed into, and what it is said to print."""
    def __init__(self, terminal, command):
        self.terminal, self.command, self.claim = terminal, command, []


def blocks(text):
    """The blocks of code: the words behind the language of each, and its lines."""
    lines, block, fence = text.split("\n"), None, None
    for number, line in enumerate(lines):
        if fence:
            if line.strip() == fence:
                yield block
                block = fence = None
            else:
                block[1].append(line)
        elif match := re.match(r"(```+)\w*\s*(.*)", line):
            if block:
                yield block
            fence, block = match[1], (match[2], [])
        elif line.startswith("    ") and (block or not lines[number - 1].strip()):
            block = block or ("", [])
            block[1].append(line[4:])
        elif block and not line.strip():
            block[1].append("")
        elif block:
            yield block
            block = None
    if block:
        yield block


def unfinished(command):
    """Does a shell wait for more of it?"""
    if command.endswith("\\"):
        return True
    heredoc = re.search(r"<<-?\s*'?(\w+)'?", command)
    return heredoc and not re.search(rf"\n{heredoc[1]}$", command)


def steps_of(lines):
    steps = []
    for line in lines:
        prompt = re.match(r"(\w*)\$ (.*)", line)
        if steps and not steps[-1].claim and unfinished(steps[-1].command):
            steps[-1].command += "\n" + line
        elif prompt:
            steps.append(Step(prompt[1], prompt[2]))
        elif not steps:
            raise SystemExit(f"nobody types this block in: {line}")
        elif line.strip():
            steps[-1].claim.append(line)
    return steps


def plainly(line):
    for pattern, word in LOOSE:
        line = re.sub(pattern, word, line)
    return re.sub(r"\s+", " ", line).strip()


def same(said, seen):
    """Words that are equal, and numbers that are but for their last digit."""
    said, seen = plainly(said).split(), plainly(seen).split()
    if said[-1] == "...":
        said.pop()
        del seen[len(said):]
    if len(said) != len(seen):
        return False
    for one, other in zip(said, seen):
        number = re.fullmatch(r"(-?\d+\.(\d+))(\D*)", one)
        near = number and re.fullmatch(rf"-?\d+\.\d+{re.escape(number[3])}", other)
        if near:
            off = abs(float(number[1]) - float(other[:len(other) - len(number[3])]))
            if off > 1.01 * 10.0 ** -len(number[2]):
                return False
        elif one != other:
            return False
    return True


def seen_as_said(claim, output):
    """Is the output what was claimed?  None, or the line that is not there."""
    at, anything = 0, False
    for line in claim:
        if line.strip() == "...":
            anything = True
            continue
        while anything and at < len(output) and not same(line, output[at]):
            at += 1
        if at == len(output) or not same(line, output[at]):
            return line
        at, anything = at + 1, False
    return None if anything or at == len(output) else f"nothing after: {output[at]}"


def check(step, status, output):
    if step.command != ":":
        print(f"{step.terminal}$ {step.command}", flush=True)
    lines = [line for line in output.split("\n") if line.strip()]
    missing = seen_as_said(step.claim, lines) if step.claim else None
    refused = any(line.startswith("eigenmesh: ") for line in step.claim)
    if missing or (status and not refused):
        print(output)
        raise SystemExit(f"the page says that one sees: {missing}" if missing else f"its status is {status}")


def run(step, place):
    """In the folder where the one before it has ended; a terminal is a shell."""
    leave = "" if step.terminal else f'pwd >"{place}/where"'
    script = f'cd "$(cat "{place}/where")"\n{step.command}\nstatus=$?\n{leave}\nexit $status'
    return subprocess.Popen(["bash", "-u", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


def end(process):
    """With all that it has started."""
    if process:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def finish(process, step):
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        end(process)
        print(process.communicate()[0])
        raise SystemExit(f"has not ended: {step.command}") from None
    check(step, process.returncode, output)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def look_for_what_it_needs(steps):
    commands = "\n".join(step.command for step in steps)
    for need, words in (("mpirun", r"\bmpirun\b"), ("plink2", r"\bplink2\b"), ("gnuplot", r"--plot\b"),
                        ("cc", r"^cc\b"), ("pkg-config", r"\bpkg-config\b")):
        if re.search(words, commands, flags=re.M) and not shutil.which(need):
            skip(f"there is no {need}")
    if re.search(r"^python3\b", commands, flags=re.M):
        trial = subprocess.run(["python3", "-c", "import eigenmesh"], capture_output=True, text=True)
        if trial.returncode:
            skip(f"python3: {trial.stderr.strip().splitlines()[-1]}")
    for need, asked, words in (("mpi", "--version", r"\bmpirun\b"), ("node", "--help", r"\beigenmesh node\b")):
        told = subprocess.run(["eigenmesh", asked], capture_output=True, text=True, check=True).stdout
        if re.search(words, commands) and not re.search(rf"\b{need}\b", told):
            skip(f"the program was built without {need}")
    if "mpirun" in commands and subprocess.run(["mpirun", "-n", "2", "true"], capture_output=True).returncode:
        skip("mpirun cannot run")


def look_for_what_it_says(page, text, steps):
    """Who types it in elsewhere has no table of the project beside it, and perhaps no gnuplot."""
    commands = "\n".join(step.command for step in steps)
    for word, told in (("datasets/", "the folder of the source"), ("datasets/", "/usr/share/doc/eigenmesh/examples/"),
                       ("--plot", "needs gnuplot")):
        if word in commands and told not in text:
            raise SystemExit(f"{page}: {word} is typed, and the page does not say: {told}")


def surroundings(place, text):
    """What a user has: the commands of the build on the PATH, and of the project the table that it ships."""
    binaries = place / "bin"
    binaries.mkdir()
    (binaries / "eigenmesh").symlink_to(os.path.realpath(os.environ["EIGENMESH"]))
    (binaries / "python3").symlink_to(os.environ.get("PYTHON") or "/usr/bin/python3")
    if os.environ.get("MPIRUN"):
        (binaries / "mpirun").symlink_to(os.environ["MPIRUN"])
    home = place / "home"
    home.mkdir()
    (home / "datasets").symlink_to(PROJECT / "datasets")
    (place / "where").write_text(str(home))
    build = os.environ.get("BUILD", "")
    os.environ.update(PATH=f"{binaries}:{os.environ['PATH']}", HOME=str(home), PYTHONPATH=f"{build}/python",
                      LC_ALL="C.UTF-8", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_rmaps_base_oversubscribe="1")
    if "pkg-config" in text:
        root = place / "usr"
        subprocess.run(["cmake", "--install", build, "--prefix", root], check=True, capture_output=True)
        config = next(root.rglob("eigenmesh.pc")).parent
        os.environ.update(PKG_CONFIG_PATH=str(config), LD_LIBRARY_PATH=str(config.parent))
    return home


def type_in(parts, place):
    waiting = []
    try:
        for part in parts + [Step("", ":")]:
            if not isinstance(part, Step):
                (pathlib.Path((place / "where").read_text().strip()) / part[0]).write_text(part[1])
                continue
            waiting.append((run(part, place) if part.terminal else None, part))
            while waiting and not part.terminal:
                process, step = waiting.pop(0)
                finish(process or run(step, place), step)
    finally:
        for process, _ in waiting:
            end(process)


def main():
    page = pathlib.Path(sys.argv[1])
    text = re.sub(r"\b7473\b", str(free_ports(1)), page.read_text())
    parts = []
    for name, lines in blocks(text):
        parts += [(name, "\n".join(lines) + "\n")] if name else steps_of(lines)
    steps = [part for part in parts if isinstance(part, Step)]
    if len(steps) < 3:
        raise SystemExit(f"{page}: has {len(steps)} commands, which is no page to be typed in")
    look_for_what_it_says(page, text, steps)
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        surroundings(place, text)
        look_for_what_it_needs(steps)
        type_in(parts, place)
    print(f"ok: {len(steps)} commands of {page.name}, {sum(1 for step in steps if step.claim)} with what they print")


main()
