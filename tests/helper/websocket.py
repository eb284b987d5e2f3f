"""A WebSocket server for tests, by RFC 6455, in another language than the client under test.

Prints its port; ends when its standard input closes or after two minutes.

What a path does (all but /refuse answer the handshake; the first of the subprotocols offered is
chosen):
  /echo      sends text and binary messages back, answers pings and closes
  /head      sends the request's head as one text message, then closes with 1000
  /bye       closes with 4001 and "enough" after the first message
  /cut       ends the connection after the first message, without a close
  /ping      sends a ping "are you there", then the pong's payload as text, then closes
  /flood     sends 20,000 messages of 1,000 bytes, then closes
  /pieces    sends one text in three frames with a ping between
  /mute      answers nothing, not even a close
  /refuse    answers 403
"""
import base64
import hashlib
import select
import socket
import struct
import sys
import threading


def read(conn, n):
    data = b""
    while len(data) < n:
        piece = conn.recv(n - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def frame(op, payload, fin=True):
    head = bytes([(0x80 if fin else 0) | op])
    if len(payload) < 126:
        head += bytes([len(payload)])
    elif len(payload) < 65536:
        head += b"\x7e" + struct.pack(">H", len(payload))
    else:
        head += b"\x7f" + struct.pack(">Q", len(payload))
    return head + payload


def read_frame(conn):
    first, second = read(conn, 2)
    if not second & 0x80:
        raise ValueError("a client's frame without a mask")
    n = second & 0x7F
    if n == 126:
        n = struct.unpack(">H", read(conn, 2))[0]
    elif n == 127:
        n = struct.unpack(">Q", read(conn, 8))[0]
    mask = read(conn, 4)
    data = read(conn, n)
    return first & 15, bytes(b ^ mask[i & 3] for i, b in enumerate(data))


def read_head(conn):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read(conn, 1)
    lines = head.decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return head, lines[0].split(" ")[1], fields


def switch(conn, fields):
    accept = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    answer = (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: "
        + base64.b64encode(hashlib.sha1(accept.encode()).digest()).decode()
        + "\r\nX-Server: one\r\n"
    )
    if "sec-websocket-protocol" in fields:
        answer += "Sec-WebSocket-Protocol: " + fields["sec-websocket-protocol"].split(",")[0] + "\r\n"
    conn.sendall((answer + "\r\n").encode())


def echo(conn):
    while True:
        op, data = read_frame(conn)
        if op == 9:
            conn.sendall(frame(10, data))
        elif op == 8:
            conn.sendall(frame(8, data[:2]))
            return
        elif op != 10:
            conn.sendall(frame(op, data))


def talk(conn, path, head):
    if path == "/head":
        conn.sendall(frame(1, head) + frame(8, b"\x03\xe8"))
    elif path == "/bye":
        read_frame(conn)
        conn.sendall(frame(8, struct.pack(">H", 4001) + b"enough"))
    elif path == "/cut":
        read_frame(conn)
        return
    elif path == "/ping":
        conn.sendall(frame(9, b"are you there"))
        op, data = read_frame(conn)
        conn.sendall(frame(1, b"%d:" % op + data) + frame(8, b"\x03\xe8"))
    elif path == "/flood":
        for _ in range(20000):
            conn.sendall(frame(1, b"x" * 1000))
        conn.sendall(frame(8, b"\x03\xe8"))
    elif path == "/pieces":
        conn.sendall(frame(1, b"one ", False) + frame(9, b"p") + frame(0, b"two ", False))
        conn.sendall(frame(0, "drei \u00fc".encode()) + frame(8, b"\x03\xe8"))
    elif path == "/echo":
        echo(conn)
        return
    while conn.recv(4096):
        pass


def serve(conn):
    try:
        conn.settimeout(30)
        head, path, fields = read_head(conn)
        if path == "/refuse":
            conn.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno!")
        else:
            switch(conn, fields)
            talk(conn, path, head)
    except (EOFError, OSError):
        pass
    finally:
        conn.close()


def accept(listener):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=serve, args=(conn,), daemon=True).start()


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    select.select([sys.stdin], [], [], 120)


main()
