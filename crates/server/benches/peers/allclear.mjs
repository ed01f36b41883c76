// Allclear with the content of the comparison.

import { join } from 'node:path';

import { freePort } from '../free-port.mjs';
import { components, incident, organisation } from './content.mjs';
import { serve } from './process.mjs';

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
  const child = await serve(binary, ['serve'], { origin: `${origin}/readyz`, cwd: folder, env });
  const id = await fill(`${origin}/api/v1`);
  const snapshot = await (await fetch(`${origin}/api/v1/status/${id}`)).json();
  const page = `${origin}/status/${id}`;
  return { title: 'Allclear', child, page, headline: snapshot.data.banner.text };
}

/** Creates the organisation and its content. Returns its identifier. */
async function fill(api) {
  const headers = { 'content-type': 'application/json' };
  const send = async (path, body) => {
    const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return { headers: response.headers, data: (await response.json()).data };
  };
  const account = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
  const signedUp = await send('/identity/sign-up', account);
  headers.cookie = signedUp.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
  const { data: founded } = await send('/identity/organisations', { name: organisation });
  const { data: token } = await send('/identity/token', { organisationId: founded.id });
  headers.authorization = `Bearer ${token.token}`;
  const affected = [];
  for (const { name, down } of components) {
    const { data } = await send('/component/create', { name });
    if (down) affected.push({ componentId: data.id, status: 'MAJOR_OUTAGE' });
  }
  const { title, text } = incident;
  await send('/incident/create', { title, description: text, status: 'IDENTIFIED', components: affected });
  return founded.id;
}
