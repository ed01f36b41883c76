"""The feeds and the calendar, read by feedparser, lxml and icalendar."""

import json
import unittest
from datetime import UTC, datetime, timedelta

import feedparser
import icalendar
from lxml import etree

from node import Node, Operator

# What XML 1.0 has no place for, what ends a CDATA section, what has to be escaped, and what is written from right to left.
HARD = "".join(map(chr, (1, 8, 11, 12, 27, 31, 127, 0xFFFE))) + " ]]> & <b>bold</b> 🚨 שלום"


class FeedsTest(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.remove)
        self.operator = Operator(self.node)

    def text(self, name):
        with self.node.get(f"{self.operator.page}/{name}") as response:
            self.assertEqual(response.status, 200, name)
            self.assertEqual(response.headers["Access-Control-Allow-Origin"], "*")
            return response.read()

    def feed(self, name):
        """A feed that is well-formed for two readers."""
        text = self.text(name)
        etree.fromstring(text)
        feed = feedparser.parse(text)
        self.assertFalse(feed.bozo, feed.get("bozo_exception"))
        self.assertEqual(feed.version, "atom10" if name.endswith("atom") else "rss20")
        return feed

    def create_incident(self, title, **more):
        incident = {"title": title, "description": "Errors", "status": "INVESTIGATING", **more}
        return self.operator.call("POST", "/incident/create", incident)

    def create_maintenance(self, start, **more):
        maintenance = {"title": "Upgrade", "description": "Writes, then; reads", "startAt": start.isoformat()}
        maintenance["endAt"] = (start + timedelta(hours=1)).isoformat()
        return self.operator.call("POST", "/maintenance/create", maintenance | more)

    def test_ids_stay_and_updates_are_items_of_their_own(self):
        incident = self.create_incident("Down")
        ids = {name: [entry.id for entry in self.feed(name).entries] for name in ("history.atom", "history.rss")}
        self.operator.call(
            "POST", f"/incident/{incident['id']}/updates/create", {"message": "A bad deploy", "status": "IDENTIFIED"}
        )
        self.operator.call("PATCH", f"/incident/{incident['id']}", {"title": "Down in part"})
        for name, before in ids.items():
            feed = self.feed(name)
            self.assertEqual([entry.id for entry in feed.entries], before, name)
            self.assertEqual(feed.entries[0].title, "Down in part")
            content = feed.entries[0].content[0].value if "content" in feed.entries[0] else feed.entries[0].description
            self.assertIn("<strong>Identified</strong> - A bad deploy", content)
            self.assertLess(content.index("Identified"), content.index("Investigating"))
        for name in ("updates.atom", "updates.rss"):
            entries = self.feed(name).entries
            titles = [entry.title for entry in entries]
            self.assertEqual(titles, ["[Identified] Down in part", "[Investigating] Down in part"], name)
            self.assertEqual(len({entry.id for entry in entries}), 2)
        items = json.loads(self.text("feed.json"))
        self.assertEqual(items["version"], "https://jsonfeed.org/version/1.1")
        self.assertEqual([item["title"] for item in items["items"]], ["Down in part"])

    def test_feeds_end_after_twenty_five_incidents_and_fifty_updates(self):
        for number in range(30):
            incident = self.create_incident(f"Incident {number}")
            update = {"message": "Gone", "status": "RESOLVED"}
            self.operator.call("POST", f"/incident/{incident['id']}/updates/create", update)
        for name, most in {"history.atom": 25, "history.rss": 25, "updates.atom": 50, "updates.rss": 50}.items():
            self.assertEqual(len(self.feed(name).entries), most, name)
        self.assertEqual(len(json.loads(self.text("feed.json"))["items"]), 25)

    def test_hard_texts_leave_every_feed_readable(self):
        incident = self.create_incident("Hard ]]> & <i>", description=HARD)
        self.operator.call(
            "POST", f"/incident/{incident['id']}/updates/create", {"message": HARD, "status": "IDENTIFIED"}
        )
        self.create_maintenance(datetime.now(UTC) + timedelta(days=1), description=HARD)
        for name in ("history.atom", "history.rss", "updates.atom", "updates.rss"):
            self.assertIn("🚨 שלום", str(self.feed(name).entries), name)
        self.assertIn("🚨 שלום", json.dumps(json.loads(self.text("feed.json")), ensure_ascii=False))
        calendar = icalendar.Calendar.from_ical(self.text("maintenances.ics"))
        self.assertIn("🚨 שלום", str(calendar.walk("VEVENT")[0]["DESCRIPTION"]))

    def test_the_calendar_counts_reschedules_and_keeps_what_is_cancelled(self):
        start = (datetime.now(UTC) + timedelta(days=2)).replace(microsecond=0)
        maintenance = self.create_maintenance(start)

        def event():
            calendar = icalendar.Calendar.from_ical(self.text("maintenances.ics"))
            self.assertEqual(calendar["VERSION"], "2.0")
            (event,) = calendar.walk("VEVENT")
            return event

        first = event()
        self.assertEqual(first.start, start)
        self.assertEqual(first["STATUS"], "CONFIRMED")
        later = {"startAt": (start + timedelta(days=1)).isoformat(), "endAt": (start + timedelta(days=2)).isoformat()}
        self.operator.call("PATCH", f"/maintenance/{maintenance['id']}", later)
        second = event()
        self.assertEqual(second.start, start + timedelta(days=1))
        self.assertGreater(second["SEQUENCE"], first["SEQUENCE"])
        self.assertEqual(second["UID"], first["UID"])
        self.operator.call("PATCH", f"/maintenance/{maintenance['id']}", {"status": "CANCELLED"})
        third = event()
        self.assertEqual(third["STATUS"], "CANCELLED")
        self.assertEqual(third["UID"], first["UID"])


if __name__ == "__main__":
    unittest.main()
