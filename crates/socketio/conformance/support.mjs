// What the tests share: raw Engine.IO over fetch and WebSocket, every step awaited.
import { once } from "node:events";
import { WebSocket } from "ws";

export const PING_INTERVAL = 300;
export const PING_TIMEOUT = 200;
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

  /** Opens a polling session and answers its requests. */
  async session() {
    const { open } = await this.open();
    const url = this.http({ EIO: 4, transport: "polling", sid: open.sid });
    return {
      sid: open.sid,
      url,
      poll: (options) => fetch(url, options),
      post: (body, options) => fetch(url, { method: "POST", body, ...options }),
    };
  }

  socket(query = { EIO: 4, transport: "websocket" }) {
    return new Wire(`${this.http(query)}`.replace("http", "ws"));
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

  /** The next message that is no ping; pings are answered. */
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
