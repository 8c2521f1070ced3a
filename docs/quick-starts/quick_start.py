"""Sends a claim, polls for the adjuster's response, and offers the claim to another adjuster after a rejection.

Python 3.8 or later, standard library only. Run with a test key: CLAIMS_URL=... CLAIMS_API_KEY=... python3 quick_start.py
"""

import json
import os
import random
import re
import sys
import time
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ["CLAIMS_URL"].rstrip("/")
KEY = os.environ["CLAIMS_API_KEY"]
POLL_SECONDS = 2  # for a test; 60 or more in production
POSITION_FILE = "position.json"
TIME = "%Y-%m-%dT%H:%M:%S.%f%z"


class RequestError(Exception):
    """The request is wrong, and would be wrong again."""


def call(method, path, body=None, idempotency_key=None, attempts=8):
    """Sends a request and retries it with the same Idempotency-Key, so that nothing is done twice."""
    headers = {"Authorization": "Bearer " + KEY, "Accept": "application/json"}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    for attempt in range(attempts):
        try:
            request = Request(URL + path, data=data, headers=headers, method=method)
            with urlopen(request, timeout=30) as response:
                return json.load(response)
        except (OSError, HTTPException, ValueError) as error:  # URLError and HTTPError are OSErrors
            status = error.code if isinstance(error, HTTPError) else None
            if status and status < 500 and status not in (408, 425, 429):
                raise RequestError(f"{method} {path}: {status} {error.read().decode()}") from None
            if attempt + 1 == attempts:
                raise
            wait = requested_wait(status, error.headers.get("Retry-After") or "") if status else 0
        time.sleep(wait + random.random() * min(30, 0.5 * 2**attempt))


def requested_wait(status, retry_after):
    """Seconds to wait. Retry-After is a number; from a gateway also a date, or sent twice ("5, 5")."""
    number = re.match(r"\d+", retry_after)
    if number:
        return int(number.group())
    try:
        return max(0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        # A 429 without Retry-After comes from a proxy in front of the API and lasts a minute.
        return 60 if status == 429 else 0


def test_accounts():
    """The SVCIDs of the firm's test accounts by their behavior, such as accepts."""
    adjusters = call("GET", "/v1/adjusters?limit=200")["data"]
    return {one["svc_id"].rsplit("_", 1)[1]: one["svc_id"] for one in adjusters if one["test"]}


def send_claim(external_id, adjuster):
    claim = {
        "external_id": external_id,
        "claim_number": "FL-" + external_id,
        "adjuster_svc_id": adjuster,
        "loss": {"date": "2026-08-27"},
        "policy": {"number": "87-4410029317-2025"},
        "carrier": {"name": "Palmetto Mutual Insurance"},
        "loss_location": {"street": "88 Mangrove Court", "city": "Sanibel", "state": "FL", "zip": "33957"},
        "policyholder": {"company_name": "Gulf Shore Rentals LLC", "phone": "239-555-0163"},
    }
    # Derived from your own id, so that a restarted program repeats the same request.
    return call("POST", "/v1/claims", claim, idempotency_key="send-" + external_id)


def offer_again(claim, adjuster):
    key = f"offer-{claim['id']}-{claim['updated_at']}"  # one offer for each rejection
    return call("POST", f"/v1/claims/{claim['id']}/assignment", {"adjuster_svc_id": adjuster}, key)


def changes(position):
    """Yields every change once, and saves the position after each page that was processed."""
    latest, seen = datetime.strptime(position, TIME), {}
    while True:
        query = {"updated_since": (latest - timedelta(minutes=1)).isoformat(), "limit": 200}
        while True:
            page = call("GET", "/v1/claims?" + urlencode(query))
            for claim in page["data"]:
                if seen.get(claim["id"]) != claim["updated_at"]:
                    yield claim
                    seen[claim["id"]] = claim["updated_at"]
                    latest = max(latest, datetime.strptime(claim["updated_at"], TIME))
            save(latest.strftime(TIME))
            if page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
        time.sleep(POLL_SECONDS)


def save(position):
    # Replaces the file at once: a program that is killed leaves no half of a position.
    with open(POSITION_FILE + ".new", "w") as file:
        json.dump(position, file)
    os.replace(POSITION_FILE + ".new", POSITION_FILE)


def main():
    accounts = test_accounts()
    sent = send_claim(f"QS-PY-{int(time.time() * 1000)}", accounts["rejects"])
    print("sent", sent["external_id"], flush=True)
    try:
        with open(POSITION_FILE) as file:
            position = json.load(file)
    except FileNotFoundError:
        position = sent["created_at"]  # before the first change
    for claim in changes(position):
        status = claim["assignment"]["status"]
        print(*filter(None, [status, claim["external_id"], claim["assignment"]["rejection_reason"]]), flush=True)
        if status == "rejected":
            try:
                offer_again(claim, accounts["accepts"])
            except RequestError as error:  # one claim must not stop the others: tell a person, and go on
                print("not offered again:", claim["external_id"], error, file=sys.stderr, flush=True)
        if status == "accepted" and claim["id"] == sent["id"]:
            return


main()
