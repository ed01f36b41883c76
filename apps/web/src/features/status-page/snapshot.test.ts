import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { aSnapshot } from './fixtures';
import { fetchSnapshot, readSnapshot } from './snapshot';

function page(body: string): Document {
  return new DOMParser().parseFromString(body, 'text/html');
}

it('reads what the server wrote into the page', () => {
  const written = JSON.stringify({ revision: 7, groups: [], components: [] });
  const html = `<script type="application/json" id="snapshot">${written}</script>`;
  expect(readSnapshot(page(html))).toMatchObject({ revision: 7, incidents: [], order: [] });
});

it('finds nothing on the page of an unknown organisation', () => {
  expect(readSnapshot(page('<!--allclear:snapshot-->'))).toBeNull();
});

const ask = (revision: number | null) =>
  fetchSnapshot('org-1', revision, new AbortController().signal);

it('asks only for what is newer than what it has', async () => {
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) =>
      request.headers.get('If-None-Match') === '"7"'
        ? new HttpResponse(null, { status: 304 })
        : success(aSnapshot({ revision: 7 })),
    ),
  );
  expect(await ask(7)).toBeNull();
  expect(await ask(6)).toEqual(aSnapshot({ revision: 7 }));
  expect(await ask(null)).toEqual(aSnapshot({ revision: 7 }));
});

it('has an address of its own for each revision, so that no shared cache sends an older state', async () => {
  const asked: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      asked.push(`${new URL(request.url).search} ${request.cache}`);
      return success(aSnapshot({ revision: 9 }));
    }),
  );
  await ask(7);
  await ask(null);
  await fetchSnapshot('org-1', 7, new AbortController().signal, 9);
  expect(asked).toEqual(['?revision=7 no-cache', ' no-cache', '?revision=9 no-cache']);
});

it('says why there is nothing', async () => {
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => problem(404, 'Organisation not found')),
  );
  await expect(ask(null)).rejects.toMatchObject({ status: 404 });
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => HttpResponse.error()));
  await expect(ask(null)).rejects.toMatchObject({ status: 0 });
});
