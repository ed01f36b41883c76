// The official client, unmodified: in its default settings, polling only, and WebSocket only.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, it } from "node:test";

import { Socket as EngineClient } from "engine.io-client";
import { io } from "socket.io-client";

import { SERVER, pause } from "./support.mjs";

const modes = {
  "default settings": {},
  "polling only": { transports: ["polling"] },
  "WebSocket only": { transports: ["websocket"] },
};

for (const [mode, options] of Object.entries(modes)) {
  describe(`socket.io-client, ${mode}`, () => {
    const sockets = [];
    const connect = (namespace = "/", more = {}) => {
      const socket = io(`${SERVER}${namespace}`, { forceNew: true, ...options, ...more });
      sockets.push(socket);
      return socket;
    };
    after(() => sockets.forEach((socket) => socket.disconnect()));

    it("connects, and tells the server its credentials", async () => {
      const socket = connect("/", { auth: { token: "abc" } });
      const [auth] = await once(socket, "auth");
      assert.deepEqual(auth, { token: "abc" });
      assert.ok(socket.connected);
      assert.notEqual(socket.id, socket.io.engine.id);
    });

    it("sends and receives events, with every kind of argument", async () => {
      const socket = connect();
      const sent = [1, "2", { 3: [true, null] }, "häßlich €🙂", -1.5e10, [], "x".repeat(100_000)];
      socket.emit("message", ...sent);
      assert.deepEqual(await once(socket, "message-back"), sent);
    });

    it("sends and receives bytes", async () => {
      const socket = connect();
      socket.emit("message", Buffer.from([1, 2, 3]), { nested: [Buffer.from([4])] });
      const [first, second] = await once(socket, "message-back");
      assert.deepEqual([...first], [1, 2, 3]);
      assert.deepEqual([...second.nested[0]], [4]);
    });

    it("gets acknowledgements", async () => {
      const socket = connect();
      assert.deepEqual(await socket.emitWithAck("message-with-ack", { a: 1 }), { a: 1 });
      const bytes = await socket.emitWithAck("message-with-ack", Buffer.from([7]));
      assert.deepEqual([...bytes], [7]);
      await assert.rejects(socket.timeout(50).emitWithAck("nobody-answers"));
    });

    it("joins several namespaces over one connection", async () => {
      const manager = connect();
      const custom = manager.io.socket("/custom");
      sockets.push(custom);
      await Promise.all([once(manager, "auth"), once(custom, "auth")]);
      assert.notEqual(manager.id, custom.id);
      custom.emit("message", "custom");
      assert.deepEqual(await once(custom, "message-back"), ["custom"]);
      custom.disconnect();
      manager.emit("message", "main");
      assert.deepEqual(await once(manager, "message-back"), ["main"]);
    });

    it("is refused by an unknown namespace", async () => {
      const [error] = await once(connect("/random"), "connect_error");
      assert.equal(error.message, "Invalid namespace");
    });

    it("keeps a thousand events in order, also across the upgrade", async () => {
      const socket = connect();
      const received = [];
      const done = new Promise((resolve) => {
        socket.on("message-back", (number) => received.push(number) === 1000 && resolve());
      });
      for (let number = 0; number < 1000; number++) {
        socket.emit("message", number);
        if (number % 100 === 0) await pause(2);
      }
      await done;
      assert.deepEqual(received, Array.from({ length: 1000 }, (_, number) => number));
    });

    it("stays connected over many heartbeats", async () => {
      const socket = connect();
      await once(socket, "connect");
      for (let beat = 0; beat < 4; beat++) await once(socket.io, "ping");
      assert.ok(socket.connected);
      const { engine } = socket.io;
      if (mode === "default settings" && engine.transport.name === "polling") await once(engine, "upgrade");
    });

    it("comes back when its connection breaks", async () => {
      const socket = connect("/", { reconnectionDelay: 10, reconnectionDelayMax: 20 });
      await once(socket, "connect");
      const first = socket.id;
      socket.io.engine.close();
      await once(socket, "connect");
      assert.notEqual(socket.id, first);
      assert.equal(await socket.emitWithAck("message-with-ack", 1), 1);
    });

    it("leaves, and may come again", async () => {
      const socket = connect();
      await once(socket, "connect");
      socket.disconnect();
      assert.ok(!socket.connected);
      socket.connect();
      await once(socket, "connect");
      socket.emit("message", "again");
      assert.deepEqual(await once(socket, "message-back"), ["again"]);
    });
  });

  describe(`engine.io-client, ${mode}`, () => {
    it("echoes text and bytes, and closes", async () => {
      const socket = new EngineClient(SERVER, { path: "/engine.io", ...options });
      const messages = [];
      const done = new Promise((resolve) => socket.on("message", (data) => messages.push(data) === 3 && resolve()));
      await new Promise((resolve) => socket.on("open", resolve));
      socket.send("hello");
      socket.send(Buffer.from([1, 2, 3]));
      socket.send("häßlich");
      await done;
      assert.deepEqual([messages[0], [...messages[1]], messages[2]], ["hello", [1, 2, 3], "häßlich"]);
      const closed = new Promise((resolve) => socket.on("close", resolve));
      socket.close();
      await closed;
    });
  });
}
