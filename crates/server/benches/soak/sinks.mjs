// Servers that accept every mail and every webhook message, and count them.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

/** Accepts mails (RFC 5321) from a client that makes no mistakes. */
async function takeMails(socket, taken) {
  const send = (line) => socket.write(`${line}\r\n`);
  let isText = false;
  send('220 ready');
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    if (isText) {
      if (line !== '.') continue;
      isText = false;
      taken.mails += 1;
      send('250 accepted');
    } else if (/^DATA/i.test(line)) {
      isText = true;
      send('354 send the message');
    } else {
      send(/^QUIT/i.test(line) ? '221 closing' : '250 ok');
    }
  }
}

/**
 * Starts both servers. `confirm` is called with the confirmation link in the first message to
 * each webhook.
 */
export async function startSinks(confirm) {
  const taken = { mails: 0, webhooks: 0 };
  const mails = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    takeMails(socket, taken).catch(() => socket.destroy());
  });
  const webhooks = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const { confirmation } = JSON.parse(text);
    if (confirmation) confirm(new URL(confirmation.url));
    else taken.webhooks += 1;
    response.end();
  });
  const ports = { mail: await listening(mails), webhook: await listening(webhooks) };
  const stop = () => {
    mails.close();
    webhooks.close();
    webhooks.closeAllConnections();
  };
  return { taken, ports, stop };
}
