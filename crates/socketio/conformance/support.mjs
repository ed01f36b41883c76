// What the tests share: raw Engine.IO over fetch and WebSocket, every step awaited.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";

export const PING_INTERVAL = 300;
// Generous, so that a busy machine does not disconnect a client that responds.
export const PING_TIMEOUT = 1000;
/** Pause of the server between the response to CONNECT and the first event, in milliseconds. */
export const TURN = 25;
export const SERVER = process.env.SERVER ?? "http://localhost:3000";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Addresses of one Engine.IO path. */
export class Endpoint {
  constructor(path) {
    this.path = path;
  }

  http(query) {
    return `${SERVER}${this.path}/?${new URLSearchParams(query)}`;
  }

  async open(query = {}) {
    const response = await fetch(this.http({ EIO: 4, transport: "polling", ...query }));
    const text = await response.text();
    return { response, text, open: text.startsWith("0") ? JSON.parse(text.slice(1)) : undefined };
  }

  /** Opens a polling session. */
  async session() {
    const { open } = await this.open();
    const url = this.http({ EIO: 4, transport: "polling", sid: open.sid });
    const poll = () => fetch(url);
    const post = (body) => fetch(url, { method: "POST", body });
    return { sid: open.sid, url, poll, post, pollData: () => pollData(poll, post) };
  }

  socket(query = { EIO: 4, transport: "websocket" }) {
    return new Wire(`${this.http(query)}`.replace("http", "ws"));
  }
}

/** The packets of the next poll except pings, which get their pongs. */
async function pollData(poll, post) {
  for (;;) {
    const response = await poll();
    assert.equal(response.status, 200);
    const packets = (await response.text()).split("\x1e");
    const data = packets.filter((packet) => packet !== "2");
    if (data.length < packets.length) await post("3");
    if (data.length) return data.join("\x1e");
  }
}

/** A WebSocket whose messages are read one after the other. */
export class Wire {
  #messages = [];
  #waiting = [];

  constructor(url, options) {
    this.socket = new WebSocket(url, options);
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => this.socket.on("close", (code) => resolve(code)));
    this.socket.on("message", (data, binary) => {
      const message = binary ? data : data.toString();
      const waiting = this.#waiting.shift();
      if (waiting) waiting(message);
      else this.#messages.push(message);
    });
  }

  get opened() {
    return this.socket.readyState === WebSocket.OPEN ? Promise.resolve() : once(this.socket, "open");
  }

  next() {
    if (this.#messages.length) return Promise.resolve(this.#messages.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next message except pings, which get their pongs. */
  async nextData() {
    for (;;) {
      const message = await this.next();
      if (message !== "2") return message;
      this.send("3");
    }
  }

  send(...messages) {
    for (const message of messages) this.socket.send(message);
  }

  close() {
    this.socket.close();
  }
}
