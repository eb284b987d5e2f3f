#!/usr/bin/env python3
"""Requests per generator-CPU-second, beside its peers, in one run.

    bench/load.py [--http2] [--build build] [--runs 5] [--seconds 4] [--only NAME,NAME] [--raw FILE.csv]

The server has CPU 1 for itself, the generators take turns on CPU 0. Peers that are not installed (wrk,
h2load: Debian packages) are left out with a word. Every raw value goes to --raw; the table has medians,
and the ratio to the bare loop, which is the limit of one thread on this machine. With --http2 the
server is nghttpd over TLS, and the ratio is to h2load with one request at a time on a connection.
"""
import argparse
import csv
import os
import resource
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def number_after(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1).replace(",", "")) if found else None


def generators(build, port, seconds, scratch):
    """name -> (command, how to find the number of requests in what it prints)"""
    url = f"http://127.0.0.1:{port}/"
    assay = os.path.join(build, "assay")
    script = os.path.join(HERE, "one_get.js")
    load = [assay, "load", "-q", "--threads", "1"]
    scripted = load + ["-e", f"URL={url}", "-u", "50", "-d", f"{seconds}s"]
    requests = r"http_reqs\.+: (\d+)"
    return {
        "bare": ([f"{build}/bench/bare_loop", str(port), "50", str(seconds)], r"^(\d+) "),
        "bare io_uring": ([f"{build}/bench/uring_loop", str(port), "50", str(seconds)], r"^(\d+) "),
        "wrk": (["wrk", "-t1", "-c50", f"-d{seconds}s", url], r"(\d+) requests in"),
        "h2load": (["h2load", "--h1", "-t1", "-c50", "-D", str(seconds), url],
                   r"requests: \d+ total, \d+ started, (\d+) done"),
        "assay URL": (load + ["--vus", "50", "-d", f"{seconds}s", url], requests),
        "assay script": (scripted + [script], requests),
        "assay script, json": (scripted + ["--out", f"json={scratch}/out.json", script], requests),
        "assay script, csv": (scripted + ["--out", f"csv={scratch}/out.csv", script], requests),
    }


def generators_http2(build, port, seconds):
    url = f"https://127.0.0.1:{port}/"
    load = [os.path.join(build, "assay"), "load", "-q", "--threads", "1", "--insecure-skip-tls-verify"]
    requests = r"http_reqs\.+: (\d+)"
    return {
        "h2load -m1": (["h2load", "-t1", "-c50", "-m1", "-D", str(seconds), url],
                       r"requests: \d+ total, \d+ started, (\d+) done"),
        "assay URL": (load + ["--vus", "50", "-d", f"{seconds}s", url], requests),
        "assay script": (load + ["-e", f"URL={url}", "-u", "50", "-d", f"{seconds}s",
                                 os.path.join(HERE, "one_get.js")], requests),
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_http2_server(scratch):
    """nghttpd on CPU 1 with a certificate of its own and one small file; (process, port)"""
    key, cert = f"{scratch}/key.pem", f"{scratch}/cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
                    "/CN=localhost", "-keyout", key, "-out", cert], check=True, capture_output=True)
    with open(f"{scratch}/index.html", "w", encoding="utf-8") as page:
        page.write("hello")
    port = free_port()
    server = subprocess.Popen(["taskset", "-c", "1", "nghttpd", "-n1", "-d", scratch, str(port), key,
                               cert])
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    return server, port


def start_server(build):
    server = subprocess.Popen(["taskset", "-c", "1", f"{build}/bench/http_server", "3000"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return server, int(server.stdout.readline())


def stop(server):
    if server.stdin:
        server.stdin.close()
    else:
        server.terminate()
    server.wait()


def installed(wanted, all_of_them):
    for name in wanted:
        if shutil.which(all_of_them[name][0][0]):
            yield name
        else:
            print(f"{name}: not installed", file=sys.stderr)


def measure(command, pattern):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", "0"] + command, capture_output=True, text=True,
                          timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    count = number_after(pattern, done.stdout)
    if count is None:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: "
                           f"{(done.stdout + done.stderr)[-300:]}")
    return count, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--raw")
    parser.add_argument("--http2", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    subprocess.run(["ninja", "-C", build, "bench/http_server", "bench/bare_loop"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "bench/uring_loop"], check=False, capture_output=True)

    rows, speeds = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        server, port = start_http2_server(scratch) if options.http2 else start_server(build)
        try:
            if options.http2:
                all_of_them = generators_http2(build, port, options.seconds)
            else:
                all_of_them = generators(build, port, options.seconds, scratch)
            names = [n for n in options.only.split(",") if n] or list(all_of_them)
            wanted = list(installed(names, all_of_them))
            for run in range(options.runs):
                for name in wanted if run % 2 == 0 else reversed(wanted):
                    count, cpu = measure(*all_of_them[name])
                    rows.append((name, run + 1, count, f"{cpu:.4f}", f"{count / cpu:.0f}"))
                    speeds.setdefault(name, []).append(count / cpu)
                    print(f"run {run + 1}: {name}: {count / cpu:,.0f}", file=sys.stderr)
        finally:
            stop(server)
    if options.raw:
        with open(options.raw, "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([("generator", "run", "requests", "cpu_s", "per_cpu_s")] + rows)
    base = "h2load -m1" if options.http2 else "bare"
    bare = statistics.median(speeds[base]) if base in speeds else None
    print(f"{'generator':20} {'requests/CPU-s':>15} {'lowest':>9} {'highest':>9} {'of ' + base:>14}")
    for name, values in speeds.items():
        median = statistics.median(values)
        ratio = f"{median / bare:14.2f}" if bare else ""
        print(f"{name:20} {median:15,.0f} {min(values):9,.0f} {max(values):9,.0f} {ratio}")


if __name__ == "__main__":
    main()
