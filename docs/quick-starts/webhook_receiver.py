"""Receives webhooks, verifies them, and says when to poll.

Python 3.8 or later, standard library only. Run behind HTTPS: CLAIMS_WEBHOOK_SECRET=whsec_... PORT=8080 python3 webhook_receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["CLAIMS_WEBHOOK_SECRET"].replace("whsec_", "", 1))
MAX_BODY_BYTES = 65536
TOLERANCE_SECONDS = 300

changed = threading.Event()  # in the polling program: changed.wait(timeout=60); changed.clear()


def is_verified(headers, body):
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    # Two while the secret is rolled.
    sent = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, one) for one in sent)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length <= MAX_BODY_BYTES else b""
        verified = is_verified(self.headers, body)
        self.send_response(204 if verified else 401)
        self.end_headers()
        if verified:
            event = json.loads(body)
            print(event["type"], event["data"]["environment"], flush=True)
            if event["type"] == "claims.changed":
                changed.set()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
