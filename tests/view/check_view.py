#!/usr/bin/env python3
"""warpscope view, asked as a browser asks: the page, its sections, spans by range; what it refuses; that it ends.

    check_view.py BINARY     last line 'N passed, N failed'
"""
import http.client
import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests/data/kineto/slowloader.pt.trace.json.gz"
POLICY = "default-src 'none'; connect-src 'none'"
PAGE = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<!--WARPSCOPE-DATA-->\n'
passed = failed = 0


def check(what, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED {what}")


def columns(data):
    count, = struct.unpack_from("<I", data)
    at, out = 4, {}
    for _ in range(count):
        size = data[at]
        name = data[at + 1:at + 1 + size].decode()
        kind, rows, length = struct.unpack_from("<BII", data, at + 1 + size)
        at += 10 + size
        values, end = [], at + length
        while at < end:
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            values.append((value >> 1) ^ -(value & 1) if kind == 2 else value)
        check(f"rows of {name}", len(values) == rows)
        out[name] = values
    check("the columns end where the answer ends", at == len(data))
    return out


def ask(connection, target, method="GET", **headers):
    connection.request(method, target, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def walk(port, token):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    status, html, headers = ask(connection, f"/{token}/")
    check("the page", status == 200 and b'id="ws:head"' in html and b'"mode": "view"' in html)
    check("only the head is in it", html.count(b'id="ws:') == 1)
    check("its policy lets it ask its server only", b"connect-src 'self'" in html and b"connect-src 'none'" not in html)
    policy = headers["Content-Security-Policy"]
    check("the policy is a header too", "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy)
    tracks = json.loads(zlib.decompress(ask(connection, f"/{token}/section/tracks")[1], -15))
    names = json.loads(zlib.decompress(ask(connection, f"/{token}/section/strings")[1], -15))
    check("a section with ':' in its name", ask(connection, f"/{token}/section/table%3Akernels")[0] == 200)
    check("no such section", ask(connection, f"/{token}/section/..%2f..%2fetc")[0] == 404)
    total, merged = 0, 0
    for track in tracks:
        if track["depths"] == 0:
            status = ask(connection, f"/{token}/spans?track={track['id']}&from=0&to=9&px=1")[0]
            check("a track of points has no spans", status == 404)
            continue
        status, data, _ = ask(connection, f"/{token}/spans?track={track['id']}&from=0&to=1000000000000&px=2")
        spans = columns(data)
        check("a row for each depth", status == 200 and len(spans["rows"]) == track["depths"])
        check("names are ids", max(spans["name"]) < len(names))
        total += sum(spans["merged"])
        merged += sum(count > 1 for count in spans["merged"])
    check("every span is in a pixel once", total == sum(track["spans"] for track in tracks))
    check("pixels hold several", merged > 0)
    for query in ("", "track=0&from=5&to=5&px=9", "track=0&from=0&to=5&px=0", "track=0&from=0&to=5&px=99999",
                  "track=x&from=0&to=5&px=9", "track=0&from=0&to=99999999999999999999&px=9",
                  "track=0&track=0&from=0&to=5&px=9"):
        check(f"spans?{query} is refused", ask(connection, f"/{token}/spans?{query}")[0] == 400)
    check("no such track", ask(connection, f"/{token}/spans?track=99999&from=0&to=5&px=9")[0] == 404)
    for target in ("/", f"/{'0' * 32}/", f"/{token[:-1]}/", f"/{token}", "/favicon.ico", f"/{'0' * 32}/section/tracks"):
        check(f"{target} without the secret", ask(connection, target)[0] == 403)
    check("another host", ask(connection, f"/{token}/", Host="rebound.example")[0] == 403)
    check("another site's page", ask(http.client.HTTPConnection("127.0.0.1", port), f"/{token}/section/strings",
                                     Sec_Fetch_Site="cross-site")[0] == 403)
    check("another method", ask(http.client.HTTPConnection("127.0.0.1", port), f"/{token}/", method="POST")[0] == 405)


def main():
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text(PAGE, encoding="utf-8")
        program = subprocess.Popen([sys.argv[1], "view", str(TRACE), "--no-open", "--page", str(page)],
                                   stdout=subprocess.PIPE, text=True)
        try:
            line = program.stdout.readline()
            found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
            check("the address is printed first", found)
            if found:
                walk(int(found[1]), found[2])
            program.send_signal(signal.SIGINT)
            check("ctrl-C ends it well", program.wait(timeout=20) == 0)
        finally:
            program.kill()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
