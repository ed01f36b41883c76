"""The documents of the Statuspage API over generated states, held to a JSON Schema and to the tables of the vendor."""

import json
import random
import unittest
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from jsonschema import Draft202012Validator

from node import Node, Operator

SCHEMA = json.loads(Path(__file__).with_name("statuspage.schema.json").read_text())
DOCUMENTS = {
    "summary.json": "summary.json",
    "status.json": "status.json",
    "components.json": "components.json",
    "incidents.json": "incidents.json",
    "incidents/unresolved.json": "incidents.json",
    "scheduled-maintenances.json": "scheduled-maintenances.json",
    "scheduled-maintenances/upcoming.json": "scheduled-maintenances.json",
    "scheduled-maintenances/active.json": "scheduled-maintenances.json",
}
STATES = 300
WORST = ["operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"]
BROKEN = ["DEGRADED", "PARTIAL_OUTAGE", "MAJOR_OUTAGE"]
WORDS = ["Edge API", "Café & Co", "]]> <b>", "שלום", "🚨 Alarm", "Ünïcødé"]
ZONES = ["Etc/UTC", "America/Denver", "Europe/Zurich", "Australia/Lord_Howe", "Asia/Kathmandu"]


def rollup(statuses):
    """The vendor's table of the headline."""
    every = lambda status: bool(statuses) and all(each == status for each in statuses)
    if not statuses or every("operational"):
        return "none", "All Systems Operational"
    if every("major_outage"):
        return "critical", "Major System Outage"
    if every("partial_outage"):
        return "major", "Partial System Outage"
    if "major_outage" in statuses:
        return "major", "Partial System Outage"
    if "partial_outage" in statuses:
        return "minor", "Minor Service Outage"
    if every("degraded_performance") and len(statuses) > 1:
        return "minor", "Degraded System Service"
    if "degraded_performance" in statuses:
        return "minor", "Partially Degraded Service"
    return "maintenance", "Service Under Maintenance"


def ordered(schema, pairs):
    """Raises unless the keys of each object are in the order of its schema. `pairs` has objects as lists of pairs."""
    schema = SCHEMA["$defs"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    if "anyOf" in schema and pairs is not None:
        schema = schema["anyOf"][0]
        return ordered(schema, pairs)
    if schema.get("type") == "array":
        for item in pairs:
            ordered(schema["items"], item)
    elif schema.get("type") == "object":
        keys = [key for key, _ in pairs]
        wanted = [key for key in schema["properties"] if key in keys]
        assert keys == wanted, f"{keys} instead of {wanted}"
        for key, value in pairs:
            ordered(schema["properties"][key], value)


class States:
    """An organisation that changes at random, always in the same way."""

    def __init__(self, operator):
        self.operator = operator
        self.random = random.Random(20)
        self.groups, self.components, self.resolved = [], [], []
        self.incidents, self.maintenances = {}, {}

    def call(self, method, path, body=None):
        return self.operator.call(method, path, body)

    def word(self):
        return f"{self.random.choice(WORDS)} {self.random.randrange(1000)}"

    def some(self, most):
        return self.random.sample(self.components, self.random.randrange(min(most, len(self.components)) + 1))

    def create_group(self):
        if len(self.groups) < 4:
            group = {"name": self.word(), "description": self.random.choice(["", "Why"])}
            self.groups.append(self.call("POST", "/component-group/create", group)["id"])

    def create_component(self):
        if len(self.components) < 12:
            component = {
                "name": self.word(),
                "description": self.random.choice(["", "Public API"]),
                "status": self.random.choice(["OPERATIONAL", *BROKEN]),
                "groupId": self.random.choice([None, *self.groups]),
                "startDate": self.random.choice([None, "2025-11-03"]),
                "showUptime": self.random.random() < 0.7,
                "onlyShowWhenAffected": self.random.random() < 0.3,
            }
            self.components.append(self.call("POST", "/component/create", component)["id"])

    def change_component(self):
        if self.components:
            status = self.random.choice(["OPERATIONAL", *BROKEN])
            self.call("PATCH", f"/component/{self.random.choice(self.components)}", {"status": status})

    def change_all_components(self):
        status = self.random.choice(["OPERATIONAL", *BROKEN])
        for component in self.components:
            self.call("PATCH", f"/component/{component}", {"status": status})

    def move_component(self):
        if self.components:
            group = self.random.choice([None, *self.groups])
            self.call("PATCH", f"/component/{self.random.choice(self.components)}", {"groupId": group})

    def delete_component(self):
        if len(self.components) > 3:
            component = self.components.pop(self.random.randrange(len(self.components)))
            self.call("DELETE", f"/component/{component}")

    def create_incident(self):
        links = {component: self.random.choice(BROKEN) for component in self.some(3)}
        incident = {
            "title": self.word(),
            "description": self.word(),
            "status": self.random.choice(["INVESTIGATING", "IDENTIFIED", "MONITORING"]),
            "components": [{"componentId": id, "status": status} for id, status in links.items()],
        }
        self.incidents[self.call("POST", "/incident/create", incident)["id"]] = links

    def record_update(self):
        if self.incidents:
            incident = self.random.choice(list(self.incidents))
            status = self.random.choice(["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"])
            update = {"message": self.word(), "status": status}
            self.call("POST", f"/incident/{incident}/updates/create", update)
            if status == "RESOLVED":
                self.incidents.pop(incident)
                self.resolved.append(incident)

    def review(self):
        if self.resolved:
            incident = self.resolved.pop()
            self.call("PUT", f"/incident/{incident}/review", {"body": f"# {self.word()}"})
            self.call("POST", f"/incident/{incident}/review/publish", {"notify": False})

    def create_maintenance(self):
        start = datetime.now(UTC) + timedelta(minutes=self.random.choice([-60, -5, 90, 3000]))
        end = self.random.choice([None, start + timedelta(minutes=self.random.choice([30, 600]))])
        maintenance = {
            "title": self.word(),
            "description": self.word(),
            "startAt": start.isoformat(),
            "endAt": end and end.isoformat(),
            "components": self.some(2),
        }
        maintenance = self.call("POST", "/maintenance/create", maintenance)
        self.maintenances[maintenance["id"]] = maintenance["code"]

    def update_maintenance(self):
        if self.maintenances:
            maintenance = self.random.choice(list(self.maintenances))
            update = {"message": self.word(), "status": self.random.choice(["INVESTIGATING", "MONITORING"])}
            self.call("POST", f"/maintenance/{maintenance}/updates/create", update)

    def delete_maintenance(self):
        if len(self.maintenances) > 2:
            maintenance = self.random.choice(list(self.maintenances))
            del self.maintenances[maintenance]
            self.call("DELETE", f"/maintenance/{maintenance}")

    def change_zone(self):
        self.call("PATCH", "/organisation", {"timeZone": self.random.choice(ZONES)})

    def step(self):
        changes = [
            self.create_group,
            self.create_component,
            self.create_component,
            self.change_component,
            self.change_all_components,
            self.move_component,
            self.delete_component,
            self.create_incident,
            self.record_update,
            self.record_update,
            self.review,
            self.create_maintenance,
            self.update_maintenance,
            self.delete_maintenance,
            self.change_zone,
        ]
        self.random.choice(changes)()


class ApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()
        cls.addClassCleanup(cls.node.remove)
        cls.operator = Operator(cls.node)

    def document(self, name):
        path = f"{self.operator.page}/api/v2/{name}"
        with self.node.get(path) as response:
            self.assertEqual(response.status, 200, name)
            self.assertEqual(response.headers["Content-Type"], "application/json; charset=utf-8")
            self.assertEqual(response.headers["Access-Control-Allow-Origin"], "*")
            text = response.read()
        document = json.loads(text)
        kind = SCHEMA["$defs"][DOCUMENTS[name]]
        validator = Draft202012Validator({**kind, "$defs": SCHEMA["$defs"]})
        errors = [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(document)]
        self.assertEqual(errors, [], name)
        ordered(kind, json.loads(text, object_pairs_hook=list))
        self.check_times(document, ZoneInfo(document["page"]["time_zone"]))
        return document

    def check_times(self, value, zone):
        """Each time has the offset of the page's zone at that instant."""
        if isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, str) and key.endswith(("_at", "_for", "_until")):
                    time = datetime.fromisoformat(inner)
                    self.assertEqual(time.utcoffset(), time.astimezone(zone).utcoffset(), f"{key}: {inner} in {zone}")
                    self.assertEqual(inner.endswith("Z"), zone.key == "Etc/UTC", f"{inner} in {zone}")
                self.check_times(inner, zone)
        elif isinstance(value, list):
            for inner in value:
                self.check_times(inner, zone)

    def check_components(self, components, status):
        self.assertEqual([each["position"] for each in components], sorted(each["position"] for each in components))
        leaves = [each for each in components if not each["group"]]
        self.assertEqual((status["indicator"], status["description"]), rollup([each["status"] for each in leaves]))
        for group in (each for each in components if each["group"]):
            children = [each for each in leaves if each["group_id"] == group["id"]]
            self.assertEqual(group["components"], [each["id"] for each in children])
            worst = max((each["status"] for each in children), key=WORST.index, default="operational")
            self.assertEqual(group["status"], worst)

    def check_incidents(self, incidents):
        self.assertEqual([each["created_at"] for each in incidents], self.newest(incidents, "created_at"))
        for incident in incidents:
            updates = incident["incident_updates"]
            self.assertEqual([each["display_at"] for each in updates], self.newest(updates, "display_at"))
            self.assertEqual(len({each["id"] for each in updates} | {incident["id"]}), len(updates) + 1)
            self.assertEqual(incident["resolved_at"] is not None, incident["status"] in ("resolved", "postmortem"))
            self.assertLessEqual(self.at(incident["started_at"]), self.at(incident["created_at"]))
            if incident["status"] == "monitoring":
                self.assertIsNotNone(incident["monitoring_at"])

    @staticmethod
    def at(text):
        return datetime.fromisoformat(text)

    def newest(self, items, key):
        return sorted((each[key] for each in items), key=self.at, reverse=True)

    def test_every_state_is_as_the_vendor_writes_it(self):
        states = States(self.operator)
        for state in range(STATES):
            states.step()
            with self.subTest(state=state):
                documents = {name: self.document(name) for name in DOCUMENTS}
                summary = documents["summary.json"]
                self.check_components(summary["components"], summary["status"])
                self.assertEqual(summary["components"], documents["components.json"]["components"])
                self.assertEqual(summary["status"], documents["status.json"]["status"])
                self.check_incidents(documents["incidents.json"]["incidents"])
                unresolved = documents["incidents/unresolved.json"]["incidents"]
                self.assertEqual(summary["incidents"], unresolved)
                self.assertEqual({each["status"] for each in unresolved} & {"resolved", "postmortem"}, set())
                upcoming = documents["scheduled-maintenances/upcoming.json"]["scheduled_maintenances"]
                active = documents["scheduled-maintenances/active.json"]["scheduled_maintenances"]
                self.assertEqual(summary["scheduled_maintenances"], upcoming + active)
                self.assertEqual({each["status"] for each in upcoming} - {"scheduled"}, set())
                self.assertEqual({each["status"] for each in active} - {"in_progress"}, set())
                starts = [self.at(each["scheduled_for"]) for each in upcoming]
                self.assertEqual(starts, sorted(starts))
        self.check_impacts(states)

    def check_impacts(self, states):
        words = {"DEGRADED": "degraded_performance", "PARTIAL_OUTAGE": "partial_outage", "MAJOR_OUTAGE": "major_outage"}
        incidents = {each["id"]: each for each in self.document("incidents.json")["incidents"]}
        compared = 0
        for id, links in states.incidents.items():
            code = self.operator.call("GET", f"/incident/{id}")["code"]
            if code in incidents:
                expected, _ = rollup([words[status] for status in links.values()])
                self.assertEqual(incidents[code]["impact"], expected, links)
                compared += 1
        self.assertGreater(compared, 0)

    def test_head_and_etag(self):
        for name in DOCUMENTS:
            path = f"{self.operator.page}/api/v2/{name}"
            with self.node.get(path) as response:
                body, tag = response.read(), response.headers["ETag"]
            with self.node.get(path, method="HEAD") as response:
                self.assertEqual((response.status, response.read()), (200, b""))
                self.assertEqual(response.headers["ETag"], tag)
                self.assertEqual(int(response.headers["Content-Length"]), len(body))
            with self.node.get(path, If_None_Match=tag) as response:
                self.assertEqual((response.status, response.read()), (304, b""))


if __name__ == "__main__":
    unittest.main()
