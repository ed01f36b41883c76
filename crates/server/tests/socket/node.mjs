// A running `allclear` in a folder of its own, and its operator.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../../target/debug/allclear", import.meta.url));
const binary = resolve(process.env.ALLCLEAR ?? built);

export class Node {
  static async start() {
    const node = new Node();
    node.folder = mkdtempSync(join(tmpdir(), "allclear-"));
    await node.#run("127.0.0.1:0");
    return node;
  }

  /** Ends it as a supervisor does. */
  async stop() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    const [code] = await ended;
    assert.equal(code, 0);
  }

  /** Starts it again at the same address. */
  async restart() {
    await this.#run(new URL(this.url).host);
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Signs somebody up, with an organisation. */
  async operator() {
    const operator = new Operator(this);
    const person = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
    await operator.post("/identity/sign-up", person);
    const { id } = await operator.post("/identity/organisations", { name: "Acme" });
    operator.organisation = id;
    return operator;
  }

  async #run(listen) {
    const settings = ["--log", "warn", "--listen", listen, "--data-dir", join(this.folder, "data")];
    this.process = spawn(binary, settings, { cwd: this.folder, env: {}, stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: this.process.stdout })) {
      const [, address] = line.match(/Listens\s+(\S+)/) ?? [];
      if (address) {
        this.url = `http://${address}`;
        this.process.stdout.resume();
        return;
      }
    }
    throw new Error("the server did not start");
  }
}

class Operator {
  #cookie;

  constructor(node) {
    this.node = node;
  }

  async token() {
    const { token } = await this.#call("POST", "/identity/token", { organisationId: this.organisation });
    return token;
  }

  async post(path, body) {
    return this.#call("POST", path, body, await this.#bearer(path));
  }

  async delete(path) {
    return this.#call("DELETE", path, undefined, await this.#bearer(path));
  }

  async #bearer(path) {
    return path.startsWith("/identity/") ? {} : { authorization: `Bearer ${await this.token()}` };
  }

  async #call(method, path, body, headers = {}) {
    const response = await fetch(`${this.node.url}/api/v1${path}`, {
      method,
      headers: {
        ...headers,
        ...(this.#cookie && { cookie: this.#cookie }),
        ...(body && { "content-type": "application/json" }),
      },
      body: body && JSON.stringify(body),
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie) this.#cookie = cookie.split(";")[0];
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
    return (await response.json()).data;
  }
}
