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

/**
 * Starts the page by a script, as the status page does, and the server responds to requests for
 * the script.
 */
function startPage(status: number, ageMs: number) {
  vi.spyOn(performance, 'now').mockReturnValue(ageMs);
  const script = document.createElement('script');
  Object.assign(script, { async: true, src: 'http://localhost:8080/assets/starter-old.js' });
  document.head.append(script);
  server.use(http.head(script.src, () => new HttpResponse(null, { status })));
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

it('keeps a page of the present version, and tries to load the code again', async () => {
  startPage(200, reloadAfterMs + 1);
  vi.useFakeTimers();
  const load = vi.fn(notLoaded);
  const loading = loadCodeOrReload(load).catch((error: unknown) => error);
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(2000);
    expect(load).toHaveBeenCalledTimes(3);
  });
  expect(await loading).toBeInstanceOf(CodeNotLoaded);
  expect(reload).not.toHaveBeenCalled();
});
