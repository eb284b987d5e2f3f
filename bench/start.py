#!/usr/bin/env python3
"""From exec to the first request, as the server sees it: bench/start.py [BUILD] [RUNS]"""
import os
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../build")
times = []
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 11):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        begin = time.monotonic()
        child = subprocess.Popen([f"{build}/assay", "load", "-q", "--no-summary", "-i", "1", "-e", f"URL={url}",
                                  os.path.join(HERE, "one_get.js")])
        connection, _ = listener.accept()
        connection.recv(4096)
        times.append((time.monotonic() - begin) * 1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        child.wait()
        connection.close()
print(f"exec to first request: median {statistics.median(times):.1f} ms, "
      f"{min(times):.1f} to {max(times):.1f} ms, {len(times)} runs")
