"""Ports for tests to listen at: free_ports.py COUNT prints the first of so many in a row.

Nothing listens there, and no other test was given them lately, which may not listen yet: whose turn it is stands in a file that all
tests of this user share (free_ports.c does the same).  They are below those that Linux gives to connections, which come and go.
"""
import fcntl
import os
import socket
import sys

LOWEST, BEYOND = 10000, 32000


def is_free(port):
    with socket.socket(socket.AF_INET6) as listener:
        try:
            listener.bind(("::", port))
        except OSError:
            return False
    return True


def free_ports(count):
    turn = os.open(f"/tmp/eigenmesh-test-ports-{os.getuid()}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with open(turn, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        start = max(LOWEST, int(file.read() or 0))
        for first in [*range(start, BEYOND - count + 1), *range(LOWEST, start)]:
            if all(is_free(port) for port in range(first, first + count)):
                file.seek(0)
                file.write(f"{first + count}\n")
                return first
    raise SystemExit(f"no {count} free ports in a row")


if __name__ == "__main__":
    print(free_ports(int(sys.argv[1])))
