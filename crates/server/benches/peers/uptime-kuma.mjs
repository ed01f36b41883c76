// Starts Uptime Kuma, a status page written in Node, with the content of the comparison. Each
// component has fifty heartbeats, the number that its page shows.

import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { freePort } from '../free-port.mjs';
import { components, incident, organisation } from './content.mjs';
import { complete, serve } from './server.mjs';

const VERSION = '2.0.0-dev.0';
const root = resolve('.just/peers/uptime-kuma');
const product = join(root, 'node_modules/uptime-kuma');
const HEARTBEATS = 50;
const SLUG = 'acme';
const account = ['ann', 'correct-horse-battery-1'];

/**
 * Installs the server, and builds its SQLite with the headers of the running Node. No other
 * package's script runs.
 */
async function install() {
  const built = join(root, 'node_modules/@louislam/sqlite3/lib/binding');
  if (await stat(built).catch(() => null)) return;
  const quiet = ['--silent', '--no-fund', '--no-audit', '--prefix', root];
  await mkdir(root, { recursive: true });
  await complete('npm', ['install', ...quiet, '--no-save', '--ignore-scripts', `uptime-kuma@${VERSION}`]);
  // The package has some of its migrations one folder above the one in which the server looks
  // for them.
  const migrations = (await readdir(join(product, 'db'))).filter((name) => name.endsWith('.sql'));
  for (const name of migrations) await copyFile(join(product, 'db', name), join(product, 'db/old_migrations', name));
  const env = { ...process.env, npm_config_build_from_source: 'true', npm_config_nodedir: dirname(dirname(process.execPath)) };
  await complete('npm', ['rebuild', ...quiet, '@louislam/sqlite3'], { env });
}

export async function startUptimeKuma(folder) {
  await install();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const data = join(folder, 'uptime-kuma/');
  await mkdir(data);
  // The server reads both keys; without the second one it computes averages in the SQL of
  // another database.
  await writeFile(join(data, 'db-config.json'), JSON.stringify({ type: 'sqlite', client: 'sqlite3' }));
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    UPTIME_KUMA_HOST: '127.0.0.1',
    UPTIME_KUMA_PORT: String(port),
    DATA_DIR: data,
    // The server's check for a newer version does not leave this machine.
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  const child = await serve(process.execPath, ['server/server.js'], { readyUrl: `${origin}/api/entry-page`, cwd: product, env });
  const { io } = createRequire(join(product, 'package.json'))('socket.io-client');
  const socket = io(origin, { transports: ['websocket'] });
  try {
    await fill(origin, (...call) => acknowledged(socket, ...call));
  } finally {
    socket.close();
  }
  return {
    title: `Uptime Kuma ${VERSION}`,
    child,
    page: `${origin}/status/${SLUG}`,
    data: `${origin}/api/status-page/heartbeat/${SLUG}`,
    headline: 'Partially Degraded Service',
  };
}

/** Sends an event, and returns the response to it. */
async function acknowledged(socket, event, ...parameters) {
  const response = await socket.timeout(20_000).emitWithAck(event, ...parameters);
  if (!response.ok) throw new Error(`${event}: ${response.msg}`);
  return response;
}

async function fill(origin, call) {
  await call('setup', ...account);
  await call('login', { username: account[0], password: account[1], token: '' });
  const monitorList = [];
  for (const { id, name, down } of components) {
    const monitor = { type: 'push', name, pushToken: id, interval: 86_400, retryInterval: 86_400, maxretries: 0 };
    const { monitorID } = await call('add', { ...monitor, accepted_statuscodes: ['200-299'], notificationIDList: {} });
    monitorList.push({ id: monitorID });
    for (let beat = 0; beat < HEARTBEATS; beat += 1) await fetch(`${origin}/api/push/${id}?status=${down ? 'down' : 'up'}&ping=20`);
  }
  await call('addStatusPage', organisation, SLUG);
  const page = { slug: SLUG, title: organisation, description: '', logo: '', theme: 'auto', footerText: '', customCSS: '' };
  await call('postIncident', SLUG, { title: incident.title, content: incident.text, style: 'danger' });
  const shown = { ...page, showTags: false, showPoweredBy: true, showCertificateExpiry: false, domainNameList: [] };
  await call('saveStatusPage', SLUG, shown, '/icon.svg', [{ name: organisation, monitorList }]);
}
