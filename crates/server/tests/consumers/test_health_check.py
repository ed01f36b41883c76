"""django-health-check's checker of Statuspage pages, as it is published."""

import asyncio
import dataclasses
import datetime
import unittest

from django.conf import settings
from health_check.contrib.atlassian import AtlassianStatusPage
from health_check.exceptions import ServiceReturnedUnexpectedResult, StatusPageWarning

from node import Node, Operator

settings.configure(USE_TZ=True)


class HealthCheckTest(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.remove)
        self.operator = Operator(self.node)

    def check(self, watched=""):
        @dataclasses.dataclass
        class Acme(AtlassianStatusPage):
            base_url: str = self.node.url + self.operator.page
            timeout: datetime.timedelta = datetime.timedelta(seconds=10)
            component: str = watched

        asyncio.run(Acme().run())

    def test_an_open_incident_is_a_warning_until_it_is_resolved(self):
        self.check()
        group = self.operator.call("POST", "/component-group/create", {"name": "Platform"})
        api = self.operator.call("POST", "/component/create", {"name": "API", "groupId": group["id"]})
        self.operator.call("POST", "/component/create", {"name": "Website"})
        incident = {"title": "Errors", "description": "Slow", "status": "INVESTIGATING"}
        incident["components"] = [{"componentId": api["id"], "status": "MAJOR_OUTAGE"}]
        incident = self.operator.call("POST", "/incident/create", incident)
        for watched in ("", "API", "Platform"):
            with self.assertRaisesRegex(StatusPageWarning, f"Errors: .*/incidents/{incident['code']}"):
                self.check(watched)
        self.check("Website")
        with self.assertRaises(ServiceReturnedUnexpectedResult):
            self.check("Nowhere")
        self.operator.call("PATCH", f"/incident/{incident['id']}", {"status": "RESOLVED"})
        self.check("API")
