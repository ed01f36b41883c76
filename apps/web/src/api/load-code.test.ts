import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import { server } from '@/testing/server';
import { CodeNotLoaded, loadCodeOrReload, reloadAfterMs } from './load-code';

const reload = vi.fn();
const notLoaded = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.stubGlobal('location', { reload });
  reload.mockClear();
});

/** What Allclear gives to each response. */
const identified = { 'X-Request-Id': '0123' };

/**
 * Starts the page by a script, as the status page does, and the server responds to requests for
 * the script.
 */
function startPage(status: number, ageMs: number, headers: HeadersInit = identified) {
  vi.spyOn(performance, 'now').mockReturnValue(ageMs);
  const script = document.createElement('script');
  Object.assign(script, { async: true, src: 'http://localhost:8080/assets/starter-old.js' });
  document.head.append(script);
  server.use(http.head(script.src, () => new HttpResponse(null, { status, headers })));
}

it('loads the page again if the script that started it is gone', async () => {
  startPage(404, reloadAfterMs + 1);
  await expect(loadCodeOrReload(notLoaded)).rejects.toThrow(CodeNotLoaded);
  expect(reload).toHaveBeenCalledOnce();
});

it('keeps a young page, because nodes may run different versions for a moment', async () => {
  startPage(404, reloadAfterMs);
  await expect(loadCodeOrReload(notLoaded)).rejects.toThrow(CodeNotLoaded);
  expect(reload).not.toHaveBeenCalled();
});

it('asks the server, also behind a cache that keeps the script', async () => {
  startPage(404, reloadAfterMs + 1);
  const script = document.querySelector('script')?.src ?? '';
  server.use(
    http.head(script, ({ request }) =>
      request.url === script ? new HttpResponse(null, { status: 200 }) : undefined,
    ),
  );
  await expect(loadCodeOrReload(notLoaded)).rejects.toThrow(CodeNotLoaded);
  expect(reload).toHaveBeenCalledOnce();
});

it.each([
  ['of the present version', 200, identified],
  ['whose proxy has no server', 404, {}],
])('keeps a page %s, and tries to load the code again', async (_, status, headers) => {
  startPage(status, reloadAfterMs + 1, headers);
  vi.useFakeTimers();
  const load = vi.fn(notLoaded);
  const loading = loadCodeOrReload(load).catch((error: unknown) => error);
  const later = async () => {
    await vi.advanceTimersByTimeAsync(2000);
    return load;
  };
  await expect.poll(later).toHaveBeenCalledTimes(3);
  const failure = await loading;
  expect(failure).toBeInstanceOf(CodeNotLoaded);
  expect(failure).toMatchObject({ isReplaced: false });
  expect(reload).not.toHaveBeenCalled();
});
