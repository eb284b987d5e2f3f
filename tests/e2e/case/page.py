#!/usr/bin/env python3
"""A service whose metrics page says what it should: 2 MB/s allocated, 3 ms/s of pauses, a heap that
grows by 1 MB/s from 10 MB on, 40 ms of its own time a request.   page.py PORT"""
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

START = time.monotonic()
count = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global count
        t = time.monotonic() - START
        if self.path == "/metrics":
            body = f"""# TYPE go_memstats_alloc_bytes_total counter
go_memstats_alloc_bytes_total {2e6 * t:.0f}
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds_sum {0.003 * t}
# TYPE go_memstats_heap_alloc_bytes gauge
go_memstats_heap_alloc_bytes {10e6 + 1e6 * t:.0f}
# TYPE http_server_request_duration_seconds histogram
http_server_request_duration_seconds_bucket{{le="0.04"}} {count}
http_server_request_duration_seconds_bucket{{le="+Inf"}} {count}
"""
        else:
            count += 1
            body = "ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
