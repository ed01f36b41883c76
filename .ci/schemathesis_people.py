"""The callers in a run of .ci/schemathesis: an operator with a bearer token and, on the identity provider's routes, people with
a session cookie. A person may end the session or leave, so each is soon replaced by a new one."""

import itertools
import json
import os
import re
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import schemathesis

URL = os.environ["ALLCLEAR_URL"] + "/api/v1/identity"
MAIL = Path(os.environ["ALLCLEAR_MAIL_FOLDER"])
NUMBERS = itertools.count()


def mailed_token(email):
    """The token of the confirmation mail to an address, once the server has written it."""
    for _ in range(300):
        for path in sorted(MAIL.glob("*.eml"), reverse=True):
            mail = path.read_text()
            if f"To: {email}\r\n" in mail or f"To: {email}\n" in mail:
                unbroken = mail.replace("=\r\n", "").replace("=\n", "").replace("=3D", "=")
                found = re.search(r"confirmation=([\w-]+)", unbroken)
                if found:
                    return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"no mail to {email}")


class Person:
    """Somebody who has signed up, with an organisation of their own."""

    def __init__(self):
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        email = f"person{next(NUMBERS)}@example.com"
        person = {"name": "Ada", "email": email, "password": "correct horse battery"}
        if self.call("/sign-up", person).get("pending"):
            self.call("/sign-up/confirm", {"token": mailed_token(email)})
        self.organisation = self.call("/organisations", {"name": "Acme"})["id"]

    def call(self, path, body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
        with self.opener.open(request) as response:
            return json.load(response)["data"]

    def token(self):
        return self.call("/token", {"organisationId": self.organisation})["token"]

    def session(self):
        return next(cookie.value for cookie in self.cookies if cookie.name == "allclear_session")


OPERATOR = Person()


# A token is valid for five minutes.
@schemathesis.auth(refresh_interval=120).skip_for(path_regex="/identity/")
class Bearer:
    def get(self, case, context):
        return OPERATOR.token()

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=2).apply_to(path_regex="/identity/")
class Session:
    def get(self, case, context):
        return Person().session()

    def set(self, case, data, context):
        case.cookies["allclear_session"] = data
