// Starts Allclear with the content of the comparison.

import { join } from 'node:path';

import { freePort } from '../free-port.mjs';
import { Site } from '../site.mjs';
import { components, incident, organisation } from './content.mjs';
import { serve } from './server.mjs';

export async function startAllclear(binary, folder) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    ALLCLEAR_LISTEN: `127.0.0.1:${port}`,
    ALLCLEAR_PUBLIC_URL: origin,
    ALLCLEAR_DATA_DIR: join(folder, 'allclear'),
    ALLCLEAR_LOG: 'warn',
  };
  const child = await serve(binary, ['serve'], { readyUrl: `${origin}/readyz`, cwd: folder, env });
  const site = new Site(child, origin);
  const id = await fill(site);
  const { data: snapshot } = await site.call('GET', `/status/${id}`);
  return { title: 'Allclear', child, page: `${origin}/status/${id}`, headline: snapshot.banner.text };
}

/** Creates the organisation and its content. Returns its identifier. */
async function fill(site) {
  await site.signUp();
  const id = await site.organisation(organisation);
  const headers = await site.bearer(id);
  const affected = [];
  for (const { name, down } of components) {
    const { data } = await site.call('POST', '/component/create', headers, { name });
    if (down) affected.push({ componentId: data.id, status: 'MAJOR_OUTAGE' });
  }
  const { title, text } = incident;
  await site.call('POST', '/incident/create', headers, { title, description: text, status: 'IDENTIFIED', components: affected });
  return id;
}
