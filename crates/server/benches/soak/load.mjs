// The mixed load: readers, viewers that come and go, and an operator. Each part runs until
// the signal.

import { once, setMaxListeners } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

import { io } from '../../tests/socket/socket-io-client.mjs';

/** Number of readers, and the time from one request of a reader to the next, in milliseconds. */
const READERS = 8;
const READ_INTERVAL = 150;
/**
 * Number of event streams and sockets that are open at the same time, and the maximum time that a
 * viewer stays, in milliseconds.
 */
const STREAMS = 150;
const SOCKETS = 20;
const LONGEST_STAY = 30_000;
/** Time between two updates of the operator, in milliseconds. */
const WRITE_INTERVAL = 400;
/**
 * Number of updates of an incident, and of incidents. Older incidents are deleted, so the page does
 * not grow.
 */
const UPDATES = 20;
const INCIDENTS = 10;
/**
 * Time after which the operator gets another token, in milliseconds. A token is valid for
 * five minutes.
 */
const TOKEN_LIFE = 240_000;

/** Timeout of a response, in milliseconds. */
const TIMEOUT = 30_000;

/** Waits for this time, or until the signal. */
const pause = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);

/** Sends a GET, and waits for the head of the response. */
async function open(url, options) {
  const request = get(url, options);
  const [response] = await once(request, 'response', { signal: AbortSignal.timeout(TIMEOUT) });
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return { request, response };
}

async function read(site, organisation, agent, number, signal, done) {
  const paths = [`/status/${organisation}`, `/api/v1/status/${organisation}`, `/status/${organisation}/history`];
  for (let turn = number; !signal.aborted; turn += 1) {
    const headers = { 'accept-encoding': 'gzip' };
    const { response } = await open(`${site.url}${paths[turn % paths.length]}`, { agent, headers });
    response.resume();
    await once(response, 'end', { signal: AbortSignal.timeout(TIMEOUT) });
    done.reads += 1;
    await pause(READ_INTERVAL, signal);
  }
}

async function watchStream(site, organisation, signal, done) {
  while (!signal.aborted) {
    const { request, response } = await open(`${site.url}/api/v1/status/${organisation}/events`, { agent: false });
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (text) => (done.events += text.split('\nevent:').length - 1));
    done.streams += 1;
    await pause(Math.random() * LONGEST_STAY, signal);
    request.destroy();
  }
}

async function watchSocket(site, organisation, number, signal, done) {
  while (!signal.aborted) {
    const transports = number % 2 === 0 ? {} : { transports: ['websocket'] };
    const socket = io(site.url, { forceNew: true, reconnection: false, ...transports });
    socket.on('connect_error', () => (done.failures += 1));
    socket.on('connect', () => socket.emit('join', organisation, () => (done.sockets += 1)));
    socket.onAny(() => (done.events += 1));
    await pause(Math.random() * LONGEST_STAY, signal);
    socket.disconnect();
  }
}

async function operate(site, organisation, component, signal, done) {
  const incidents = [];
  let headers;
  let tokenCreated = -Infinity;
  for (let number = 0; !signal.aborted; number += 1) {
    if (performance.now() - tokenCreated > TOKEN_LIFE) {
      headers = await site.bearer(organisation);
      tokenCreated = performance.now();
    }
    const send = async (method, path, body) => (await site.call(method, path, headers, body)).data;
    if (number % UPDATES === 0) {
      const affected = [{ componentId: component, status: 'DEGRADED' }];
      const incident = { title: `The API is slow (${number})`, description: 'Requests take several seconds', components: affected };
      incidents.push((await send('POST', '/incident/create', incident)).id);
      if (incidents.length > INCIDENTS) await send('DELETE', `/incident/${incidents.shift()}`);
    }
    const status = (number + 1) % UPDATES === 0 ? 'RESOLVED' : 'IDENTIFIED';
    await send('POST', `/incident/${incidents.at(-1)}/updates/create`, { status, message: `We know a little more than before: ${number}` });
    done.writes += 1;
    await pause(WRITE_INTERVAL, signal);
  }
}

/** Runs the whole load until the signal. Adds what happens to the counts in `done`. */
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
