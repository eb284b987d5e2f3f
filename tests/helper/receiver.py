"""What `assay load --out` sends to: prints its port, ends when its standard input closes or after two
minutes. Every request is decoded with nothing of assay's and appended to the file named by the first
argument, a line of JSON a time series, point or line:

    {"path": ..., "headers": {...}, "name": ..., "labels": {...}, "value": ..., "time": ...}

By path: /slow/... answers after 30 s, /later/... 503 for its first two requests, /no/... 400, else 204.
"""
import gzip
import json
import os
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
later = 0


# --- snappy's block format: literals and copies -----------------------------------------------------

def uvarint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def unsnappy(data):
    size, at = uvarint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[at:at + extra], "little")
                at += extra
            length += 1
            out += data[at:at + length]
            at += length
            continue
        if kind == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + width], "little")
            at += width
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size, "snappy: wrong length"
    return bytes(out)


# --- protocol buffers: {field: [values]} ------------------------------------------------------------

def message(data):
    fields, at = {}, 0
    while at < len(data):
        key, at = uvarint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = uvarint(data, at)
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        elif wire == 2:
            length, at = uvarint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a field that is cut off"
        else:
            raise ValueError(f"wire type {wire}")
        fields.setdefault(key >> 3, []).append(value)
    return fields


def double(raw):
    return struct.unpack("<d", raw)[0]


def fixed64(raw):
    return struct.unpack("<Q", raw)[0]


def prometheus(body):
    for series in message(unsnappy(body)).get(1, []):
        series = message(series)
        pairs = [message(label) for label in series[1]]
        labels = {p[1][0].decode(): p[2][0].decode() for p in pairs}
        assert list(labels) == sorted(labels) and len(labels) == len(pairs), "labels: order"
        for sample in series[2]:
            sample = message(sample)
            value = sample[1][0]
            stale = fixed64(value) == 0x7FF0000000000002
            yield {"name": labels.pop("__name__"), "labels": labels, "time": sample[2][0],
                   "value": "stale" if stale else double(value)}


def attributes(values):
    pairs = [message(v) for v in values]
    return {p[1][0].decode(): message(p[2][0])[1][0].decode() for p in pairs}


def otlp(body):
    for resource in message(body)[1]:
        resource = message(resource)
        about = attributes(message(resource[1][0])[1])
        for scope in resource[2]:
            for metric in message(scope)[2]:
                metric = message(metric)
                field = next(f for f in (5, 7, 9) if f in metric)
                kind = {5: "gauge", 7: "sum", 9: "histogram"}[field]
                data = message(metric[field][0])
                for point in data[1]:
                    point = message(point)
                    row = {"resource": about, "name": metric[1][0].decode(), "kind": kind,
                           "unit": metric[3][0].decode() if 3 in metric else "",
                           "temporality": data.get(2, [0])[0], "monotonic": data.get(3, [0])[0],
                           "labels": attributes(point.get(9 if field == 9 else 7, [])),
                           "time": fixed64(point[3][0]) - fixed64(point[2][0])}
                    if field == 9:
                        counts = point[6][0]
                        row["value"] = fixed64(point[4][0])
                        row["sum"] = double(point[5][0])
                        row["buckets"] = list(struct.unpack(f"<{len(counts) // 8}Q", counts))
                    else:
                        row["value"] = (double(point[4][0]) if 4 in point
                                        else struct.unpack("<q", point[6][0])[0])
                    yield row


def otlp_json(body):
    for resource in json.loads(body)["resourceMetrics"]:
        for scope in resource["scopeMetrics"]:
            for metric in scope["metrics"]:
                kind = next(k for k in ("gauge", "sum", "histogram") if k in metric)
                for point in metric[kind]["dataPoints"]:
                    labels = {a["key"]: a["value"]["stringValue"] for a in point["attributes"]}
                    value = (point["asDouble"] if "asDouble" in point
                             else int(point.get("asInt", point.get("count"))))
                    yield {"name": metric["name"], "kind": kind, "labels": labels, "value": value}


# --- the line protocol ------------------------------------------------------------------------------

def cut(text, separator):
    """Parts at separators that are neither escaped nor between quotes."""
    parts, part, quoted, at = [], "", False, 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            part += text[at:at + 2]
            at += 2
            continue
        if char == '"':
            quoted = not quoted
        if char == separator and not quoted:
            parts.append(part)
            part = ""
        else:
            part += char
        at += 1
    return parts + [part]


def plain(text):
    return text.replace("\\,", ",").replace("\\=", "=").replace("\\ ", " ")


def influx(body):
    for line in body.decode().splitlines():
        head, fields, stamp = cut(line, " ")
        name, *tags = cut(head, ",")
        labels = dict(map(plain, cut(t, "=")) for t in tags)
        values = dict(cut(f, "=") for f in cut(fields, ","))
        value = float(values.pop("value"))
        yield {"name": name, "labels": labels, "value": value, "fields": values, "time": int(stamp)}


def decode(headers, path, body):
    kind = headers.get("Content-Type", "")
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    if headers.get("Content-Encoding") == "snappy":
        return prometheus(body)
    if kind == "application/x-protobuf":
        return otlp(body)
    if kind == "application/json":
        return otlp_json(body)
    return influx(body) if "/write" in path else []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global later
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        word = self.path.split("/")[1]
        status = 204
        with lock:
            if word == "slow":
                time.sleep(30)
            if word == "later":
                later += 1
                status = 503 if later <= 2 else 204
            if word == "no":
                status = 400
            if status == 204:
                with open(sys.argv[1], "a", encoding="utf-8") as out:
                    for row in decode(self.headers, self.path, body):
                        row.update(path=self.path, headers=dict(self.headers))
                        out.write(json.dumps(row) + "\n")
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "4")
        self.end_headers()
        if status != 204:
            self.wfile.write(b"why?")

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Timer(120, server.shutdown).start()
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
os._exit(0)
