"""Strangers at a port: strangers.py WHAT PORT ...

    half-open PORT COUNT ADDRESSES SECONDS   so many connections that say nothing, from 127.0.0.1 or from as many addresses, in so
                                             many seconds; prints how many are not open then
    noise PORT COUNT ADDRESS                 random bytes, each time on a connection of its own
    slow PORT ADDRESS SECONDS                the beginning of a handshake, a byte a second; prints after how many seconds it is closed
"""
import os
import select
import socket
import sys
import time


def call(port, source, patience=5.0):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((source, 0))
    s.settimeout(patience)
    s.connect(("127.0.0.1", port))
    return s


def is_closed(s):
    if not select.select([s], [], [], 0)[0]:
        return False
    try:
        return s.recv(4096) == b""
    except OSError:
        return True


def half_open(port, count, addresses, seconds):
    end, held = time.time() + seconds, []
    for n in range(count):
        source = "127.0.0.1" if addresses == 1 else "127.9.%d.%d" % (n % addresses // 250, 1 + n % addresses % 250)
        try:
            held.append(call(port, source, 0.1))
        except OSError:
            pass
        if time.time() > end:
            break
    while time.time() < end:
        time.sleep(0.1)
    print(count - len(held) + sum(is_closed(s) for s in held))


def noise(port, count, address):
    for n in range(count):
        with call(port, address) as s:
            try:
                s.sendall(os.urandom(50 + 997 * n % 70000))
                s.recv(100)
            except OSError:
                pass


def slow(port, address, seconds):
    began = time.time()
    head = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200)
    with call(port, address) as s:
        for byte in head[:seconds]:
            try:
                s.send(bytes([byte]))
            except OSError:
                break
            time.sleep(1)
            if is_closed(s):
                break
    print("%.0f" % (time.time() - began))


def main():
    what, port, rest = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if what == "half-open":
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
        half_open(port, int(rest[0]), int(rest[1]), float(rest[2]))
    elif what == "noise":
        noise(port, int(rest[0]), rest[1])
    else:
        slow(port, rest[0], int(rest[1]))


main()
