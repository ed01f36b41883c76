// The mixed load: readers, viewers that come and go, and an operator. Each part runs until the signal.

import { once, setMaxListeners } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

import { io } from '../../tests/socket/socket-io-client.mjs';

/** Readers, and how often each reads, in milliseconds. */
const READERS = 8;
const READ_INTERVAL = 150;
/** Event streams and sockets that are open at the same time, and the longest stay of a viewer in milliseconds. */
const STREAMS = 150;
const SOCKETS = 20;
const LONGEST_STAY = 30_000;
/** Time between two updates of the operator, in milliseconds. */
const WRITE_INTERVAL = 400;
/** Updates of an incident before the next one, and incidents that are kept: what a page shows does not grow. */
const UPDATES = 20;
const INCIDENTS = 10;
/** A token is valid for five minutes. */
const TOKEN_LIFE = 240_000;

/** Waits, at most until the signal. */
const pause = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);

async function read(site, organisation, agent, number, signal, done) {
  const paths = [`/status/${organisation}`, `/api/v1/status/${organisation}`, `/status/${organisation}/history`];
  for (let turn = number; !signal.aborted; turn += 1) {
    const headers = { 'accept-encoding': 'gzip' };
    const [response] = await once(get(`${site.url}${paths[turn % paths.length]}`, { agent, headers }), 'response');
    response.resume();
    await once(response, 'end');
    if (response.statusCode !== 200) throw new Error(`a reader got ${response.statusCode}`);
    done.reads += 1;
    await pause(READ_INTERVAL, signal);
  }
}

async function watchStream(site, organisation, signal, done) {
  while (!signal.aborted) {
    const asking = get(`${site.url}/api/v1/status/${organisation}/events`, { agent: false });
    const [response] = await once(asking, 'response');
    if (response.statusCode !== 200) throw new Error(`a viewer got ${response.statusCode}`);
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (text) => (done.events += text.split('\nevent:').length - 1));
    done.streams += 1;
    await pause(Math.random() * LONGEST_STAY, signal);
    asking.destroy();
  }
}

async function watchSocket(site, organisation, number, signal, done) {
  while (!signal.aborted) {
    const ways = number % 2 === 0 ? {} : { transports: ['websocket'] };
    const socket = io(site.url, { forceNew: true, reconnection: false, ...ways });
    socket.on('connect_error', (error) => (done.failures += error.message ? 1 : 0));
    socket.on('connect', () => socket.emit('join', organisation, () => (done.sockets += 1)));
    socket.onAny(() => (done.events += 1));
    await pause(Math.random() * LONGEST_STAY, signal);
    socket.disconnect();
  }
}

async function operate(site, organisation, component, signal, done) {
  const kept = [];
  let headers;
  let since = -Infinity;
  for (let number = 0; !signal.aborted; number += 1) {
    if (performance.now() - since > TOKEN_LIFE) {
      headers = await site.bearer(organisation);
      since = performance.now();
    }
    const send = async (method, path, body) => (await site.call(method, path, headers, body)).data;
    if (number % UPDATES === 0) {
      const affected = [{ componentId: component, status: 'DEGRADED' }];
      const incident = { title: `The API is slow (${number})`, description: 'Requests take several seconds', components: affected };
      kept.push((await send('POST', '/incident/create', incident)).id);
      if (kept.length > INCIDENTS) await send('DELETE', `/incident/${kept.shift()}`);
    }
    const status = (number + 1) % UPDATES === 0 ? 'RESOLVED' : 'IDENTIFIED';
    await send('POST', `/incident/${kept.at(-1)}/updates/create`, { status, message: `We know a little more than before: ${number}` });
    done.writes += 1;
    await pause(WRITE_INTERVAL, signal);
  }
}

/** Runs the whole load until the signal; counts into `done`. */
export async function run(site, organisation, component, signal, done) {
  setMaxListeners(0, signal);
  const agent = new Agent({ keepAlive: true });
  const many = (count, work) => Array.from({ length: count }, (_, number) => work(number));
  await Promise.all([
    operate(site, organisation, component, signal, done),
    ...many(READERS, (number) => read(site, organisation, agent, number, signal, done)),
    ...many(STREAMS, () => watchStream(site, organisation, signal, done)),
    ...many(SOCKETS, (number) => watchSocket(site, organisation, number, signal, done)),
  ]);
  agent.destroy();
}
