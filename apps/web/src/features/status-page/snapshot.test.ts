import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { aSnapshot } from './fixtures';
import { fetchDrawn, fetchSnapshot, readDrawn } from './snapshot';
import { throwApiError } from './snapshot-error';

function page(body: string): Document {
  return new DOMParser().parseFromString(body, 'text/html');
}

const html =
  '<script type="application/json" id="drawn">{"organisation":"org-1","tag":"7-a"}</script>';

it('reads what the server has drawn', () => {
  expect(readDrawn(page(html))).toEqual({ orgId: 'org-1', tag: '7-a' });
});

it('finds nothing on the page of an unknown organisation', () => {
  expect(readDrawn(page('<!--allclear:drawn-->'))).toBeNull();
});

it.each([
  ['"7-a"', true],
  ['W/"7-a"', true],
  ['"7-b"', false],
  ['"8-a"', false],
])('knows by its tag %s whether the state is what the server has drawn', async (tag, isDrawn) => {
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      expect(new URL(request.url).search).toBe('?revision=7');
      const data = aSnapshot({ revision: 7 });
      return HttpResponse.json({ data }, { headers: { ETag: tag } });
    }),
  );
  const read = await fetchDrawn({ orgId: 'org-1', tag: '7-a' });
  expect(read.isDrawn).toBe(isDrawn);
  expect(read.state).toEqual(aSnapshot({ revision: 7 }));
});

const ask = (atLeast: number | null) =>
  fetchSnapshot('org-1', atLeast, new AbortController().signal);

it('has an address of its own for each revision, so that no shared cache sends an older state', async () => {
  const asked: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      asked.push(`${new URL(request.url).search} ${request.cache}`);
      return success(aSnapshot({ revision: 9 }));
    }),
  );
  expect(await ask(7)).toEqual(aSnapshot({ revision: 9 }));
  await ask(null);
  expect(asked).toEqual(['?revision=7 no-cache', ' no-cache']);
});

it('says why there is nothing', async () => {
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => problem(404, 'Organisation not found')),
  );
  await expect(ask(null).catch(throwApiError)).rejects.toMatchObject({ status: 404 });
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => HttpResponse.error()));
  await expect(ask(null).catch(throwApiError)).rejects.toMatchObject({ status: 0 });
});
