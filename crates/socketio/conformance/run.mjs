// Builds the example server, starts it on a free port, runs every *.test.mjs against it, and stops
// it. `node run.mjs [test files]`; CONFORMANCE_BINARY names a server built before.
import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function build() {
  if (process.env.CONFORMANCE_BINARY) return process.env.CONFORMANCE_BINARY;
  const cargo = spawnSync(
    "cargo",
    ["build", "--package", "allclear-socketio", "--example", "conformance", "--message-format", "json-render-diagnostics"],
    { cwd: join(here, ".."), encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 },
  );
  if (cargo.status !== 0) throw new Error("the example does not build");
  const messages = cargo.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return messages.findLast((message) => message.target?.name === "conformance" && message.executable).executable;
}

async function start(binary) {
  const times = ["--ping-interval", "300", "--ping-timeout", "1000", "--connect-timeout", "6000"];
  const server = spawn(binary, ["--port", "0", ...times, "--workers", "2"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    const address = line.match(/http:\/\/\S+/);
    if (address) return { server, address: address[0] };
  }
  throw new Error("the server did not start");
}

const installed = spawnSync("npm", ["ls", "--depth=0"], { cwd: here, stdio: "ignore" });
if (installed.status !== 0) {
  const install = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" });
  if (install.status !== 0) process.exit(install.status ?? 1);
}
const files = process.argv.slice(2);
const tests = files.length ? files : readdirSync(here).filter((file) => file.endsWith(".test.mjs")).sort();
const { server, address } = await start(build());
const run = spawn(process.execPath, ["--test", "--test-reporter", "spec", ...tests], {
  cwd: here,
  env: { ...process.env, SERVER: address },
  stdio: "inherit",
});
run.on("exit", (code) => {
  server.kill();
  process.exitCode = code ?? 1;
});
