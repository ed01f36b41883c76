// Engine.IO revision 4: the behaviours that the protocol's own suite checks, under the names it
// gives them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { describe, it } from "node:test";

import { Endpoint, PING_INTERVAL, PING_TIMEOUT } from "./support.mjs";

for (const path of ["/engine.io", "/socket.io"]) {
  const endpoint = new Endpoint(path);
  const handshake = (open, upgrades) => {
    assert.deepEqual(Object.keys(open).sort(), ["maxPayload", "pingInterval", "pingTimeout", "sid", "upgrades"]);
    assert.equal(typeof open.sid, "string");
    assert.deepEqual(open.upgrades, upgrades);
    assert.equal(open.pingInterval, PING_INTERVAL);
    assert.equal(open.pingTimeout, PING_TIMEOUT);
    assert.equal(open.maxPayload, 1_000_000);
  };

  describe(`Engine.IO at ${path}`, () => {
    describe("handshake", () => {
      describe("HTTP long-polling", () => {
        it("successfully opens a session", async () => {
          const { response, open } = await endpoint.open();
          assert.equal(response.status, 200);
          assert.equal(response.headers.get("content-type"), "text/plain; charset=UTF-8");
          assert.equal(response.headers.get("cache-control"), "no-store");
          handshake(open, ["websocket"]);
        });

        const refused = async (query, code, message, options) => {
          const response = await fetch(endpoint.http(query), options);
          assert.equal(response.status, 400);
          assert.equal(response.headers.get("content-type"), "application/json");
          assert.deepEqual(await response.json(), { code, message });
        };

        it("fails with an invalid 'EIO' query parameter", async () => {
          await refused({ transport: "polling" }, 5, "Unsupported protocol version");
          await refused({ EIO: "abc", transport: "polling" }, 5, "Unsupported protocol version");
          await refused({ EIO: 3, transport: "polling" }, 5, "Unsupported protocol version");
        });

        it("fails with an invalid 'transport' query parameter", async () => {
          await refused({ EIO: 4 }, 0, "Transport unknown");
          await refused({ EIO: 4, transport: "abc" }, 0, "Transport unknown");
        });

        it("fails with an invalid request method", async () => {
          const query = { EIO: 4, transport: "polling" };
          await refused(query, 2, "Bad handshake method", { method: "POST" });
          await refused(query, 2, "Bad handshake method", { method: "PUT" });
        });

        it("fails with an unknown sid, and with a transport that is not the session's", async () => {
          await refused({ EIO: 4, transport: "polling", sid: "unknown" }, 1, "Session ID unknown");
          await refused({ EIO: 4, transport: "polling", sid: "A".repeat(20) }, 1, "Session ID unknown");
          await refused({ EIO: 4, transport: "websocket" }, 3, "Bad request");
          const { sid } = await endpoint.session();
          await refused({ EIO: 4, transport: "websocket", sid }, 3, "Bad request");
        });
      });

      describe("WebSocket", () => {
        it("successfully opens a session", async () => {
          const wire = endpoint.socket();
          const message = await wire.next();
          assert.equal(message[0], "0");
          handshake(JSON.parse(message.slice(1)), []);
          wire.close();
        });

        it("fails with an invalid 'EIO' query parameter", async () => {
          await endpoint.socket({ transport: "websocket" }).closed;
          await endpoint.socket({ EIO: "abc", transport: "websocket" }).closed;
        });

        it("fails with an invalid 'transport' query parameter", async () => {
          await endpoint.socket({ EIO: 4 }).closed;
          await endpoint.socket({ EIO: 4, transport: "abc" }).closed;
        });
      });
    });

    describe("heartbeat", () => {
      it("sends ping/pong packets over HTTP long-polling", async () => {
        const session = await endpoint.session();
        for (let round = 0; round < 3; round++) {
          const poll = await session.poll();
          assert.equal(poll.status, 200);
          assert.equal(await poll.text(), "2");
          assert.equal((await session.post("3")).status, 200);
        }
      });

      it("closes the session upon ping timeout over HTTP long-polling", async () => {
        const begin = Date.now();
        const session = await endpoint.session();
        // Polls return the ping and perhaps the close packet. After that, the session is unknown.
        for (let answers = 0; (await session.poll()).status === 200; answers++) assert.ok(answers < 2);
        assert.ok(Date.now() - begin >= PING_INTERVAL + PING_TIMEOUT - 5);
      });

      it("sends ping/pong packets over WebSocket", async () => {
        const wire = endpoint.socket();
        await wire.next();
        for (let round = 0; round < 3; round++) {
          assert.equal(await wire.next(), "2");
          wire.send("3");
        }
        wire.close();
      });

      it("closes the session upon ping timeout over WebSocket", async () => {
        const begin = Date.now();
        await endpoint.socket().closed;
        assert.ok(Date.now() - begin >= PING_INTERVAL + PING_TIMEOUT - 5);
      });

      it("closes the session upon a ping from the client", async () => {
        const wire = endpoint.socket();
        await wire.next();
        wire.send("2");
        await wire.closed;
      });
    });

    describe("close", () => {
      it("forcefully closes the session over HTTP long-polling", async () => {
        const session = await endpoint.session();
        const [poll, post] = await Promise.all([session.poll(), session.post("1")]);
        // Requests over two connections have no order: a poll that comes long after the close finds
        // no session.
        if (poll.status !== 400) assert.equal(await poll.text(), "6");
        assert.equal(await post.text(), "ok");
        assert.equal((await session.poll()).status, 400);
      });

      it("forcefully closes the session over WebSocket", async () => {
        const wire = endpoint.socket();
        await wire.next();
        wire.send("1");
        await wire.closed;
      });
    });

    describe("upgrade", () => {
      const upgrade = (sid) => endpoint.socket({ EIO: 4, transport: "websocket", sid });

      it("successfully upgrades from HTTP long-polling to WebSocket", async () => {
        const session = await endpoint.session();
        const wire = upgrade(session.sid);
        await wire.opened;
        wire.send("2probe");
        assert.equal(await wire.next(), "3probe");
        assert.equal(await session.pollData(), "6");
        wire.send("5");
        assert.equal(await wire.next(), "2");
        wire.close();
      });

      it("ends a poll that waits when the probe arrives", async () => {
        const session = await endpoint.session();
        const poll = session.pollData();
        const wire = upgrade(session.sid);
        await wire.opened;
        wire.send("2probe");
        assert.equal(await poll, "6");
        wire.close();
      });

      it("ignores HTTP requests with same sid after upgrade", async () => {
        const session = await endpoint.session();
        const wire = upgrade(session.sid);
        await wire.opened;
        wire.send("2probe", "5");
        assert.equal(await wire.next(), "3probe");
        // Requests over two connections have no order. The first ping over the WebSocket shows that
        // the upgrade is complete.
        assert.equal(await wire.next(), "2");
        const response = await session.poll();
        assert.equal(response.status, 400);
        assert.deepEqual(await response.json(), { code: 3, message: "Bad request" });
        wire.close();
      });

      it("ignores WebSocket connection with same sid after upgrade", async () => {
        const session = await endpoint.session();
        const wire = upgrade(session.sid);
        await wire.opened;
        wire.send("2probe", "5");
        assert.equal(await wire.next(), "3probe");
        assert.equal(await wire.next(), "2");
        wire.send("3");
        await upgrade(session.sid).closed;
        assert.equal(await wire.next(), "2");
        wire.close();
      });

      it("leaves the session on polling when the probe is wrong", async () => {
        const session = await endpoint.session();
        const wire = upgrade(session.sid);
        await wire.opened;
        wire.send("4hello");
        await wire.closed;
        assert.equal(await (await session.poll()).text(), "2");
      });
    });
  });
}

describe("message at /engine.io", () => {
  const endpoint = new Endpoint("/engine.io");

  describe("HTTP long-polling", () => {
    const echoes = async (payload) => {
      const session = await endpoint.session();
      const post = await session.post(payload);
      assert.equal(post.status, 200);
      assert.equal(await post.text(), "ok");
      let received = "";
      while (received.length < payload.length) {
        received += (received && "\x1e") + (await session.pollData());
      }
      assert.equal(received, payload);
    };

    it("sends and receives a payload containing one plain text packet", () => echoes("4hello"));
    it("sends and receives a payload containing several plain text packets", () =>
      echoes("4test1\x1e4test2\x1e4test3"));
    it("sends and receives a payload containing plain text and binary packets", () =>
      echoes("4hello\x1ebAQIDBA=="));
    it("sends and receives text beyond ASCII", () => echoes("4häßlich €🙂"));

    it("closes the session upon invalid packet format", async () => {
      const session = await endpoint.session();
      assert.equal((await session.post("abc")).status, 400);
      assert.equal((await session.poll()).status, 400);
    });

    it("closes the session upon duplicate poll requests", async () => {
      const session = await endpoint.session();
      const polls = await Promise.all([session.poll(), session.poll()]);
      // Whichever of the two was there first.
      const [first, second] = polls.sort((one, other) => one.status - other.status);
      assert.equal(first.status, 200);
      assert.equal(await first.text(), "1");
      assert.equal(second.status, 400);
      assert.equal((await session.poll()).status, 400);
    });

    it("closes the session upon cancelled polling request", async () => {
      const session = await endpoint.session();
      // What was sent arrives before the end of its connection does.
      const poll = get(session.url, { agent: false }).on("error", () => {});
      await once(poll, "finish");
      poll.destroy();
      // Another poll could be a second one at the same time, which closes the session. So posts
      // find out when it has ended.
      let response;
      do response = await session.post("3");
      while (response.status === 200);
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), { code: 1, message: "Session ID unknown" });
    });

    it("refuses a payload that is too large", async () => {
      const session = await endpoint.session();
      const status = await session.post("4" + "x".repeat(1_000_000)).then(
        (response) => response.status,
        () => 413,
      );
      assert.equal(status, 413);
      assert.equal((await session.post("4" + "x".repeat(999_999))).status, 200);
    });
  });

  describe("WebSocket", () => {
    it("sends and receives a plain text packet", async () => {
      const wire = endpoint.socket();
      await wire.next();
      wire.send("4hello");
      assert.equal(await wire.nextData(), "4hello");
      wire.close();
    });

    it("sends and receives a binary packet", async () => {
      const wire = endpoint.socket();
      await wire.next();
      wire.send(Uint8Array.from([1, 2, 3, 4]));
      assert.deepEqual([...(await wire.nextData())], [1, 2, 3, 4]);
      wire.close();
    });

    it("sends and receives messages of every frame size", async () => {
      const wire = endpoint.socket();
      await wire.next();
      for (const length of [124, 125, 65_534, 65_535, 999_998]) {
        const message = "4" + "x".repeat(length);
        wire.send(message);
        assert.equal(await wire.nextData(), message);
      }
      wire.close();
    });

    it("closes the session upon invalid packet format", async () => {
      const wire = endpoint.socket();
      await wire.next();
      wire.send("abc");
      await wire.closed;
    });

    it("closes the session upon a message that is too large", async () => {
      const wire = endpoint.socket();
      await wire.next();
      wire.send("4" + "x".repeat(1_000_000));
      assert.equal(await wire.closed, 1009);
    });
  });

  it("keeps the order of messages across the upgrade", async () => {
    const session = await endpoint.session();
    await session.post("4a\x1e4b");
    let polled = await session.pollData();
    if (polled === "4a") polled += "\x1e" + (await session.pollData());
    assert.equal(polled, "4a\x1e4b");
    const wire = endpoint.socket({ EIO: 4, transport: "websocket", sid: session.sid });
    await wire.opened;
    wire.send("2probe");
    assert.equal(await wire.next(), "3probe");
    wire.send("5", "4c", "4d");
    assert.equal(await wire.nextData(), "4c");
    assert.equal(await wire.nextData(), "4d");
    wire.close();
  });
});
