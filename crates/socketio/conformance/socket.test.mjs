// Socket.IO revision 5: the behaviours that the protocol's own suite checks, under the names it
// gives them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Endpoint, PING_INTERVAL, PING_TIMEOUT, TURN } from "./support.mjs";

const endpoint = new Endpoint("/socket.io");

async function raw() {
  const wire = endpoint.socket();
  wire.open = JSON.parse((await wire.next()).slice(1));
  return wire;
}

/** A client that has joined the main namespace. */
async function joined() {
  const wire = await raw();
  wire.send("40");
  wire.main = JSON.parse((await wire.nextData()).slice(2));
  assert.equal(await wire.nextData(), '42["auth",{}]');
  return wire;
}

describe("connect", () => {
  const joins = async (request, prefix, auth) => {
    const wire = await raw();
    wire.send(request);
    const answer = await wire.nextData();
    assert.ok(answer.startsWith(`40${prefix}`), answer);
    const { sid, ...rest } = JSON.parse(answer.slice(2 + prefix.length));
    assert.equal(typeof sid, "string");
    assert.deepEqual(rest, {});
    assert.notEqual(sid, wire.open.sid);
    assert.equal(await wire.nextData(), `42${prefix}["auth",${auth}]`);
    wire.close();
  };

  it("should allow connection to the main namespace", () => joins("40", "", "{}"));
  it("should allow connection to the main namespace with a payload", () =>
    joins('40{"token":"123"}', "", '{"token":"123"}'));
  it("should allow connection to a custom namespace", () => joins("40/custom,", "/custom,", "{}"));
  it("should allow connection to a custom namespace with a payload", () =>
    joins('40/custom,{"token":"abc"}', "/custom,", '{"token":"abc"}'));

  it("should leave a client time between the answer and the first event to listen", async () => {
    const wire = await raw();
    for (const [request, prefix] of [["40", ""], ["40/custom,", "/custom,"]]) {
      const begin = Date.now();
      wire.send(request);
      assert.match(await wire.nextData(), new RegExp(`^40${prefix}{`));
      assert.equal(await wire.nextData(), `42${prefix}["auth",{}]`);
      // A busy machine may receive both at once, so only the whole time shows that the server
      // has paused.
      assert.ok(Date.now() - begin >= TURN - 5);
    }
    wire.close();
  });

  it("should give a socket another id in every namespace", async () => {
    const wire = await joined();
    wire.send("40/custom,");
    const { sid } = JSON.parse((await wire.nextData()).slice("40/custom,".length));
    assert.notEqual(sid, wire.main.sid);
    wire.close();
  });

  it("should disallow connection to an unknown namespace", async () => {
    const wire = await raw();
    wire.send("40/random");
    assert.equal(await wire.nextData(), '44/random,{"message":"Invalid namespace"}');
    wire.close();
  });

  it("should disallow connection with an invalid handshake", async () => {
    const wire = await raw();
    wire.send("4abc");
    await wire.closed;
  });

  it("should close the connection if no handshake is received", async () => {
    const begin = Date.now();
    const wire = await raw();
    while ((await Promise.race([wire.next(), wire.closed])) === "2") wire.send("3");
    assert.ok(Date.now() - begin > PING_INTERVAL + PING_TIMEOUT, "it is the connect time-out that closes");
  });

  it("should close the connection upon a second CONNECT, and upon an event without one", async () => {
    const twice = await joined();
    twice.send("40");
    await twice.closed;
    const without = await raw();
    without.send('42["message"]');
    await without.closed;
  });
});

describe("disconnect", () => {
  it("should disconnect from the main namespace", async () => {
    const wire = await joined();
    wire.send("41");
    assert.equal(await wire.next(), "2");
    wire.close();
  });

  it("should connect then disconnect from a custom namespace", async () => {
    const wire = await joined();
    assert.equal(await wire.next(), "2");
    wire.send("3", "40/custom");
    await wire.nextData();
    await wire.nextData();
    wire.send("41/custom", '42["message","message to main namespace"]');
    assert.equal(await wire.nextData(), '42["message-back","message to main namespace"]');
    wire.close();
  });
});

describe("message", () => {
  it("should send a plain-text packet", async () => {
    const wire = await joined();
    wire.send('42["message",1,"2",{"3":[true]}]');
    assert.equal(await wire.nextData(), '42["message-back",1,"2",{"3":[true]}]');
    wire.close();
  });

  const placeholders = '{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}';
  const attachments = [Uint8Array.from([1, 2, 3]), Uint8Array.from([4, 5, 6])];
  const answersBinary = async (request, answer) => {
    const wire = await joined();
    wire.send(request, ...attachments);
    assert.equal(await wire.nextData(), answer);
    for (const bytes of attachments) assert.deepEqual([...(await wire.nextData())], [...bytes]);
    wire.close();
  };

  it("should send a packet with binary attachments", () =>
    answersBinary(`452-["message",${placeholders}]`, `452-["message-back",${placeholders}]`));

  it("should send a plain-text packet with an ack", async () => {
    const wire = await joined();
    wire.send('42456["message-with-ack",1,"2",{"3":[false]}]');
    assert.equal(await wire.nextData(), '43456[1,"2",{"3":[false]}]');
    wire.close();
  });

  it("should send a packet with binary attachments and an ack", () =>
    answersBinary(`452-789["message-with-ack",${placeholders}]`, `462-789[${placeholders}]`));

  const closes = [
    ["unknown packet type", "4abc"],
    ["invalid payload format", "42{}"],
    ["invalid ack id", '42abc["message-with-ack",1,"2",{"3":[false]}]'],
    ["reserved event name", '42["disconnect"]'],
    ["too many attachments", '4511-["message"]'],
    ["no attachments", '450-["message"]'],
    ["bytes out of turn", Uint8Array.from([1])],
    ["a namespace not joined", '42/custom,["message"]'],
  ];
  for (const [what, packet] of closes) {
    it(`should close the connection upon invalid format (${what})`, async () => {
      const wire = await joined();
      wire.send(packet);
      await wire.closed;
    });
  }

  it("should close the connection upon text in place of an attachment", async () => {
    const wire = await joined();
    wire.send('451-["message",{"_placeholder":true,"num":0}]', '42["message"]');
    await wire.closed;
  });
});
