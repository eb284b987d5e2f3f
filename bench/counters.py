#!/usr/bin/env python3
"""assay counters beside dotnet-counters, on the same process: what they cost, and whether they agree.

    bench/counters.py [--build build] [--seconds 60] [--runs 3] [--pairs 10] [--window 5] [--tool PATH]
                      [--raw FILE.csv]

The target is the program of tests/e2e/dotnet/meters under .NET 10, which is given something to do at a fixed
rate. dotnet-counters is installed into a folder of its own unless --tool names it.

1. Cost: the tools take turns, each alone, at an interval of 1 s: CPU seconds of the tool, its peak memory,
   time from exec to the first value in its file.
2. Agreement: both at once, on one stream of values (assay reads dotnet-counters' session along): rows of
   assay's CSV that are in dotnet-counters', to the letter but for the time.
3. Cost to the target: windows of the same load without (A) and with (B) assay counters, A B B A; its CPU
   seconds, the mean ratio and the 95 % interval of the mean over the pairs.
"""
import argparse
import collections
import csv
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTERS = "System.Runtime,Assay.Plain,Assay-Events"
RATE = 20  # lines a second that the target gets
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 14: 2.14, 19: 2.09}


class Target:
    """The program, told "work" at a fixed rate while busy()."""

    def __init__(self, scratch):
        out = os.path.join(scratch, "meters")
        project = os.path.join(HERE, "..", "tests", "e2e", "dotnet", "meters")
        subprocess.run(["dotnet", "publish", "-c", "Release", "-v", "quiet", "--nologo",
                        f"-p:PublishDir={out}/", "--artifacts-path", f"{scratch}/artifacts"],
                       cwd=project, check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen([os.path.join(out, "Meters")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.process.stdout.readline()
        self.pid = self.process.pid
        self.load = None

    def go(self, times):
        """So many lines at the rate, each answered."""
        begin = time.monotonic()
        for n in range(times):
            self.process.stdin.write("work\n")
            self.process.stdout.readline()
            time.sleep(max(0, begin + (n + 1) / RATE - time.monotonic()))

    def busy(self, seconds):
        self.load = threading.Thread(target=self.go, args=(int(seconds * RATE),))
        self.load.start()

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def first_value(path, begin):
    """Seconds until there is a line below the header, asked every 5 ms."""
    try:
        with open(path, "rb") as file:
            return time.monotonic() - begin if file.read(4096).count(b"\n") > 1 else None
    except FileNotFoundError:
        return None


def peak_mb(pid):
    """Not what wait4() tells, which begins with what this program has at the fork."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return max(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return 0


def run(command, path):
    """(CPU seconds, peak MB, seconds to the first value); the tool ends by itself"""
    if os.path.exists(path):
        os.unlink(path)
    begin, first, peak = time.monotonic(), None, 0
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    while True:
        peak = max(peak, peak_mb(child.pid) if time.monotonic() > begin + 0.2 else 0)
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        first = first or first_value(path, begin)
        if pid:
            child.returncode = status
            break
        time.sleep(0.005 if first is None else 0.1)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, peak, first


def commands(options, target, scratch):
    seconds = options.seconds
    clock = f"00:{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    common = ["-p", str(target.pid), "--counters", COUNTERS]
    assay = [os.path.join(options.build, "assay"), "counters", "collect", *common, "-d", f"{seconds}s"]
    csv_of = {name: f"{scratch}/{name.replace(' ', '_')}.csv"
              for name in ("dotnet-counters", "assay", "assay runtime only")}
    return {
        "dotnet-counters": ([options.tool, "collect", *common, "--duration", clock,
                             "-o", csv_of["dotnet-counters"]], csv_of["dotnet-counters"]),
        "assay": (assay + ["-o", csv_of["assay"]], csv_of["assay"]),
        "assay runtime only": (assay + ["--no-host", "-o", csv_of["assay runtime only"]],
                               csv_of["assay runtime only"]),
    }


def compare_cost(options, target, scratch, raw):
    results = collections.defaultdict(list)
    for turn in range(options.runs):
        for name, (command, path) in commands(options, target, scratch).items():
            target.busy(options.seconds + 1)
            result = run(command, path)
            target.load.join()
            results[name].append(result)
            raw.append(["cost", name, turn, *result])
    print(f"\n{options.seconds} s at 1 s, {options.runs} runs in turns: medians (all)")
    print(f"{'':20}{'CPU s':>22}{'peak MB':>22}{'first value s':>26}")
    for name, rows in results.items():
        cells = []
        for i, form in enumerate(("{:.3f}", "{:.1f}", "{:.2f}")):
            values = [row[i] for row in rows]
            each = " ".join("-" if v is None else form.format(v) for v in values)
            known = [v for v in values if v is not None]
            cells.append((form.format(statistics.median(known)) if known else "-") + f" ({each})")
        print(f"{name:20}{cells[0]:>22}{cells[1]:>22}{cells[2]:>26}")


def rows_of(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return [tuple(row[1:]) for row in csv.reader(file)][1:]


def compare_values(options, target, scratch, raw):
    """assay starts later and ends earlier: all that it has, the other must have too"""
    options.seconds += 6
    theirs = commands(options, target, scratch)["dotnet-counters"]
    options.seconds -= 6
    ours = commands(options, target, scratch)["assay runtime only"]
    target.busy(options.seconds + 7)
    other = subprocess.Popen(theirs[0], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    time.sleep(3)
    run(*ours)
    other.wait()
    target.load.join()
    known = collections.Counter(rows_of(theirs[1]))
    mine = rows_of(ours[1])
    missing = list((collections.Counter(mine) - known).elements())
    raw.append(["agreement", "rows", len(mine), len(missing), "", ""])
    print(f"\nboth at once, one stream: {len(mine) - len(missing)} of {len(mine)} rows of assay's CSV are "
          f"dotnet-counters' too, to the letter; {len(set(row[:3] for row in mine))} different series")
    for row in missing[:10]:
        print("  only assay's:", ",".join(row))


def compare_target(options, target, raw):
    assay = [os.path.join(options.build, "assay"), "counters", "collect", "-p", str(target.pid),
             "--counters", COUNTERS, "-o", "/dev/null"]

    def window(watched):
        watcher = subprocess.Popen(assay, stdout=subprocess.DEVNULL) if watched else None
        time.sleep(0.5)
        before = target.cpu_s()
        target.go(int(options.window * RATE))
        used = target.cpu_s() - before
        if watcher:
            watcher.terminate()
            watcher.wait()
        raw.append(["target", "with" if watched else "without", "", used, "", ""])
        return used

    ratios = []
    for _ in range(options.pairs):
        a, b, c, d = window(False), window(True), window(True), window(False)
        if a + d > 0:
            ratios.append((b + c) / (a + d))
    if len(ratios) < 2:
        return
    mean, spread = statistics.mean(ratios), statistics.stdev(ratios) / math.sqrt(len(ratios))
    t95 = next(T95[n] for n in sorted(T95) if n >= min(len(ratios) - 1, 19))
    without = [row[3] for row in raw if row[:2] == ["target", "without"]]
    print(f"\ncost to the target, {options.pairs} ABBA of {options.window} s windows at {RATE} lines/s, "
          f"{statistics.mean(without) / options.window:.2f} CPUs: "
          f"CPU {100 * (mean - 1):+.1f} % [{100 * (mean - t95 * spread - 1):+.1f}, "
          f"{100 * (mean + t95 * spread - 1):+.1f}]")


def find_tool(options, scratch):
    if options.tool:
        return options.tool
    found = shutil.which("dotnet-counters")
    if not found:
        subprocess.run(["dotnet", "tool", "install", "dotnet-counters", "--tool-path", f"{scratch}/tools"],
                       check=True, stdout=subprocess.DEVNULL)
        found = f"{scratch}/tools/dotnet-counters"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--window", type=float, default=5)
    parser.add_argument("--tool")
    parser.add_argument("--raw")
    options = parser.parse_args()
    if not shutil.which("dotnet"):
        sys.exit("no .NET SDK here")
    raw = []
    with tempfile.TemporaryDirectory() as scratch:
        options.tool = find_tool(options, scratch)
        target = Target(scratch)
        try:
            compare_cost(options, target, scratch, raw)
            compare_values(options, target, scratch, raw)
            compare_target(options, target, raw)
        finally:
            if target.load:
                target.load.join()
            target.end()
    if options.raw:
        with open(options.raw, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["what", "which", "run", "cpu_s", "peak_mb", "first_s"], *raw])


if __name__ == "__main__":
    main()
