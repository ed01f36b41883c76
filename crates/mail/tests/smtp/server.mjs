// A mail server for tests, on a free port of loopback. It does with a mail what the first word of
// the recipient's address says, and tells of each mail it takes. It ends with its standard input.
//
// in, a line each: {"tls"?: "starttls" | "wrapper", "key"?, "cert"?, "user"?, "password"?, "port"?,
// "parse"?: false}
//                    then "close" as often as one likes: closes every connection
// out, a line each:  {"listening": port}
//                    {"mail": {from, to, headers: [[name, value]], subject, text, html, raw, connection, secure, user, open}}
//                    {"closed": how many}
//                    {"refused": {to, code}} where an address asked for it
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const require = createRequire(new URL("../../../../apps/web/package.json", import.meta.url));
const { SMTPServer } = require("smtp-server");
const PostalMime = require("postal-mime").default ?? require("postal-mime");

/**
 * What an address asks for: temporary@, permanent@, …; with a number, temporary2@, so many times
 * before it is taken.
 */
const wishes = {
  temporary: { at: "to", code: 450, text: "4.2.1 mailbox busy" },
  permanent: { at: "to", code: 550, text: "5.1.1 no such mailbox" },
  relay: { at: "to", code: 554, text: "5.7.1 Relay access denied" },
  farewell: { at: "to", code: 421, text: "4.3.2 closing" },
  spam: { at: "message", code: 554, text: "5.7.1 looks like spam" },
  full: { at: "message", code: 452, text: "4.3.1 disk full" },
  dropped: { at: "message", drop: true },
  quota: { at: "message", code: 550, text: "5.4.5 Daily user sending limit exceeded" },
  silent: { at: "message", silent: true },
  slow: { at: "message", delay: 2500 },
};
const refusals = new Map();

/** What is to become of a mail to this address at this point, if it is not to be taken. */
function wish(address, at) {
  const [, word, times] = /^([a-z]+)(\d*)[.@]/.exec(address) ?? [];
  const wished = wishes[word];
  if (wished?.at !== at) return undefined;
  const before = refusals.get(address) ?? 0;
  if (times && before >= Number(times)) return undefined;
  refusals.set(address, before + 1);
  report({ refused: { to: address, code: wished.code ?? null } });
  return wished;
}

const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const refusal = ({ code, text }) => Object.assign(new Error(text), { responseCode: code });

function open({ tls, key, cert, user, password, port = 0, parse = true }) {
  const closes = (session) => [...server.connections].filter(({ id }) => id === session.id).forEach(end);
  const end = (connection) => connection._socket.destroy();
  const server = new SMTPServer({
    secure: tls === "wrapper",
    ...(key && { key, cert }),
    logger: false,
    disabledCommands: tls === "starttls" ? [] : ["STARTTLS"],
    authOptional: !user,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: 1 << 20,
    onAuth: (auth, _session, done) =>
      auth.username === user && auth.password === password
        ? done(null, { user })
        : done(Object.assign(new Error(`5.7.8 no, ${auth.password} is wrong`), { responseCode: 535 })),
    onMailFrom: ({ address }, _session, done) =>
      done(address.startsWith("stranger@") ? refusal({ code: 553, text: "5.7.1 not your address" }) : null),
    onRcptTo({ address }, session, done) {
      const wished = wish(address, "to");
      done(wished ? refusal(wished) : null);
      if (wished?.code === 421) setImmediate(closes, session);
    },
    onData(stream, session, done) {
      const [{ address }] = session.envelope.rcptTo;
      const wished = wish(address, "message");
      const chunks = [];
      stream.on("data", (chunk) => {
        if (wished?.drop) closes(session);
        else chunks.push(chunk);
      });
      stream.on("end", async () => {
        if (wished?.silent) return;
        if (wished?.delay) await setTimeout(wished.delay);
        else if (wished) return done(refusal(wished));
        const mail = { from: session.envelope.mailFrom.address, to: address };
        if (parse) Object.assign(mail, await read(Buffer.concat(chunks)), circumstances(session));
        report({ mail });
        done();
      });
    },
  });
  const circumstances = ({ id, secure, user }) => ({
    connection: id,
    secure,
    user: user ?? null,
    open: server.connections.size,
  });
  server.on("error", () => {}); // A client that ends the connection: tests do.
  server.listen(port, "127.0.0.1", () => report({ listening: server.server.address().port }));
  return {
    close() {
      const { size } = server.connections;
      server.connections.forEach(end);
      report({ closed: size });
    },
  };
}

async function read(raw) {
  const { headers, subject, text, html } = await PostalMime.parse(raw);
  return { headers: headers.map(({ key, value }) => [key, value]), subject, text, html, raw: raw.toString("latin1") };
}

let server;
createInterface({ input: process.stdin })
  .on("line", (line) => (server ? server.close() : (server = open(JSON.parse(line)))))
  .on("close", () => process.exit());
