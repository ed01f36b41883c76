"""A running `allclear` in a folder of its own, and its operator. ALLCLEAR names the binary."""

import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

BINARY = Path(os.environ.get("ALLCLEAR", "target/debug/allclear")).resolve()

# The limits have tests of their own.
LIMITS = {
    f"ALLCLEAR_LIMIT_{name}": "0"
    for name in ("COMPONENTS", "SUBSCRIBERS", "WRITES", "TEXT", "MAIL_ORGANISATION", "MAIL_INSTALLATION")
}


class Node:
    """A server on a free port."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        command = [BINARY, "--log", "warn", "--listen", "127.0.0.1:0", "--data-dir", f"{self.folder.name}/data"]
        # In a folder without `allclear.toml`.
        self.process = subprocess.Popen(
            command, env=LIMITS, cwd=self.folder.name, stdout=subprocess.PIPE, text=True
        )
        for line in self.process.stdout:
            if found := re.search(r"Listens\s+(\S+)", line):
                self.url = f"http://{found[1]}"
                return
        raise RuntimeError("the server did not start")

    def remove(self):
        self.process.terminate()
        self.process.stdout.close()
        if code := self.process.wait(timeout=30):
            raise RuntimeError(f"the server ended with {code}")
        self.folder.cleanup()

    def get(self, path, method="GET", **headers):
        """The response to a request without a cookie, also of an error."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, headers=headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            return error


class Operator:
    """Somebody with an organisation of their own."""

    def __init__(self, node):
        self.node = node
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        person = {"name": "Ada", "email": "ada@example.com", "password": "correct horse battery"}
        self.call("POST", "/identity/sign-up", person)
        self.organisation = self.call("POST", "/identity/organisations", {"name": "Acme"})["id"]
        self.page = f"/status/{self.organisation}"

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if not path.startswith("/identity/"):
            token = self.call("POST", "/identity/token", {"organisationId": self.organisation})["token"]
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.node.url}/api/v1{path}", data, headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error
        return json.loads(text)["data"] if text else None
