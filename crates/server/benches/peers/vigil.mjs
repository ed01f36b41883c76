// Starts Vigil, a status page written in Rust, with the content of the comparison.

import { cp, readdir, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { freePort } from '../free-port.mjs';
import { components, incident, organisation } from './content.mjs';
import { complete, serve } from './server.mjs';

const VERSION = '1.29.0';
const root = resolve('.just/peers/vigil');
const TOKEN = 'token';

/**
 * Installs the server without its notifiers, and the files of its page, which `cargo install`
 * leaves in the source.
 */
async function install() {
  const assets = join(root, 'assets');
  if (await stat(assets).catch(() => null)) return;
  const where = ['--root', root, '--target-dir', 'target/tools'];
  await complete('cargo', ['install', '--quiet', '--locked', ...where, '--no-default-features', `vigil-server@${VERSION}`]);
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src');
  for (const registry of await readdir(sources)) {
    const source = join(sources, registry, `vigil-server-${VERSION}`, 'res/assets');
    if (await stat(source).catch(() => null)) return cp(source, assets, { recursive: true });
  }
  throw new Error(`no source of vigil-server ${VERSION} below ${sources}`);
}

/**
 * Vigil's example, with a worker for each processor and the log level that its guide recommends.
 */
function configuration(port) {
  const image = `http://127.0.0.1:${port}/assets/images/badges/icon-healthy-default.svg`;
  const nodes = components.map(({ id, name }) => `[[probe.service.node]]\nid = "${id}"\nlabel = "${name}"\nmode = "local"\n`);
  return `
[server]
log_level = "error"
inet = "127.0.0.1:${port}"
workers = ${availableParallelism()}
manager_token = "${TOKEN}"
reporter_token = "${TOKEN}"
[assets]
path = "${root}/assets/"
[branding]
page_title = "${organisation}"
page_url = "http://127.0.0.1:${port}/"
company_name = "${organisation}"
icon_color = "#1972F5"
icon_url = "${image}"
logo_color = "#1972F5"
logo_url = "${image}"
website_url = "http://127.0.0.1:${port}/"
support_url = "mailto:support@example.com"
custom_html = ""
[metrics]
[notify]
[probe]
[[probe.service]]
id = "components"
label = "${organisation}"
${nodes.join('\n')}`;
}

export async function startVigil(folder) {
  await install();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = join(folder, 'vigil.cfg');
  await writeFile(file, configuration(port));
  const child = await serve(join(root, 'bin/vigil'), ['-c', file], { readyUrl: `${origin}/robots.txt` });
  const headers = { 'content-type': 'application/json', authorization: `Basic ${btoa(`:${TOKEN}`)}` };
  const send = async (path, body) => {
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
  };
  for (const { id, down } of components) {
    const report = { replica: 'node-1', interval: 86_400, health: down ? 'dead' : 'healthy' };
    await send(`/reporter/components/${id}`, report);
  }
  await send('/manager/announcement', incident);
  const headline = 'Partial service outage ongoing';
  await untilShown(origin, headline);
  return { title: `Vigil ${VERSION}`, child, page: `${origin}/`, headline };
}

/**
 * Waits until the page contains a text. Vigil updates the status of the whole page every
 * ten seconds.
 */
async function untilShown(page, text) {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await (await fetch(page)).text()).includes(text)) return;
    await setTimeout(100);
  }
  throw new Error(`${page} does not show "${text}"`);
}
