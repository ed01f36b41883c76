// The product's socket with the unmodified official client. `./just test` runs it; ALLCLEAR names
// the binary.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import { Node } from "./node.mjs";
import { io } from "./socket-io-client.mjs";

const ways = {
  "default settings": {},
  "polling only": { transports: ["polling"] },
  "WebSocket only": { transports: ["websocket"] },
};

/** Waits for the next event of that name. */
const next = (socket, name) => new Promise((resolve) => socket.once(name, (...args) => resolve(args)));

for (const [way, options] of Object.entries(ways)) {
  describe(way, () => {
    let node;
    let operator;
    const sockets = [];

    const connect = async (more) => {
      const socket = io(node.url, { forceNew: true, ...options, ...more });
      sockets.push(socket);
      await once(socket, "connect");
      return socket;
    };

    before(async () => {
      node = await Node.start();
      operator = await node.operator();
    });

    after(async () => {
      for (const socket of sockets) socket.disconnect();
      await node.remove();
    });

    test("connects, joins, and is answered with bare arrays", async () => {
      const created = await operator.post("/component/create", { name: "API" });
      for (const auth of [undefined, { token: await operator.token() }]) {
        const socket = await connect({ auth });
        const joined = await socket.emitWithAck("join", operator.organisation);
        assert.equal(typeof joined.revision, "number");
        const components = await socket.emitWithAck("get-components", operator.organisation);
        assert.deepEqual(components.map(({ id }) => id), [created.id]);
        assert.deepEqual(await socket.emitWithAck("get-incidents", operator.organisation), []);
        assert.deepEqual(await socket.emitWithAck("get-maintenances", operator.organisation), []);
      }
    });

    test("hears of changes as they happen", async () => {
      const socket = await connect();
      await socket.emitWithAck("join", operator.organisation);
      const received = next(socket, "new-component");
      const created = await operator.post("/component/create", { name: "Web" });
      const [component, ...more] = await received;
      assert.deepEqual([component.id, component.name, more], [created.id, "Web", []]);
      const deleted = next(socket, "component-deleted");
      await operator.delete(`/component/${created.id}`);
      assert.deepEqual(await deleted, [created.id]);
    });

    test("receives all acknowledgements when it sends more events than the server takes at a time", async () => {
      const socket = await connect();
      const joins = Array.from({ length: 300 }, () => socket.emitWithAck("join", "org_unknown"));
      for (const { message } of await Promise.all(joins)) assert.equal(typeof message, "string");
      assert.ok(socket.connected);
    });

    test("learns why a bad token is refused", async () => {
      const socket = io(node.url, { forceNew: true, ...options, auth: { token: "nonsense" } });
      sockets.push(socket);
      const [error] = await once(socket, "connect_error");
      assert.equal(error.message, "Please sign in again");
    });

    test("is authenticated by the header where the transport carries it, as it always does in Node", async () => {
      const socket = await connect({ extraHeaders: { authorization: `Bearer ${await operator.token()}` } });
      assert.ok(socket.connected);
      const refused = io(node.url, { forceNew: true, ...options, extraHeaders: { authorization: "Bearer nonsense" } });
      sockets.push(refused);
      const [error] = await once(refused, "connect_error");
      assert.equal(error.message, "Please sign in again");
    });

    test("comes back after a restart and goes on", async () => {
      const socket = await connect({
        auth: (give) => operator.token().then((token) => give({ token }), () => give({})),
        reconnectionDelay: 50,
        reconnectionDelayMax: 200,
      });
      await socket.emitWithAck("join", operator.organisation);
      const left = next(socket, "disconnect");
      await node.stop();
      const [reason] = await left;
      assert.notEqual(reason, "io server disconnect", "from that the client would not come back");
      const back = next(socket, "connect");
      await node.restart();
      await back;
      await socket.emitWithAck("join", operator.organisation);
      const received = next(socket, "new-component");
      const created = await operator.post("/component/create", { name: "After" });
      const [component] = await received;
      assert.equal(component.id, created.id);
    });
  });
}
