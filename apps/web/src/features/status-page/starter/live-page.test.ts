import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StateListener } from '@/features/status-page/event-stream';
import { FakeEventSource } from '@/features/status-page/fake-event-source';
import { aComponent, aSnapshot } from '@/features/status-page/fixtures';
import { FailedResponse } from '@/features/status-page/snapshot';
import { endpoints } from '@/paths';
import { removeListenersAfterTest } from '@/testing/listeners';
import { apiUrl, server } from '@/testing/server';
import { LivePage } from './live-page';
import type { StartedPage } from './started-page';

const hydrate = vi.fn<(page: StartedPage) => Promise<void>>();
const uptime = { percentage: 100, days: [] };
const drawnAt = '2026-11-20T12:00:00.000Z';
let page: LivePage;

beforeEach(() => {
  removeListenersAfterTest();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  vi.setSystemTime(drawnAt);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  FakeEventSource.install();
  hydrate.mockReset().mockResolvedValue();
  document.body.innerHTML = `<p class="live"><span></span><span>State of <time datetime="${drawnAt}"></time></span></p><p></p><div role="log"></div>`;
});

afterEach(() => {
  page.follow('org-1', 7, noListener)();
  page.stop();
  vi.useRealTimers();
});

const noListener: StateListener = {
  onEvent: () => undefined,
  onState: () => undefined,
  onConnected: () => undefined,
};

interface Served {
  tag?: string;
  status?: 'OPERATIONAL' | 'MAJOR_OUTAGE';
  generatedAt?: string;
  maybeSignedIn?: boolean;
}

/** Starts a page that the server has drawn at revision 7. */
function start({
  tag = '"7-a"',
  status = 'OPERATIONAL',
  generatedAt = drawnAt,
  maybeSignedIn = false,
}: Served = {}) {
  const data = aSnapshot({ generatedAt, components: [aComponent({ status, uptime })] });
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () =>
      HttpResponse.json({ data }, { headers: { ETag: tag } }),
    ),
  );
  page = new LivePage({ orgId: 'org-1', tag: '7-a' }, maybeSignedIn, hydrate);
  return page.state;
}

const shown = () => document.querySelector('.live')?.textContent;
const announced = () => document.querySelector('[role=log]')?.textContent;

it('is live without React', async () => {
  await start();
  expect(FakeEventSource.last.url).toBe('/api/v1/status/org-1/events?since=7');
  expect(shown()).toBe('Connecting');
  FakeEventSource.last.open();
  expect(shown()).toBe('Live');
  FakeEventSource.last.break();
  expect(shown()).toMatch(/^Reconnecting/);
  vi.advanceTimersByTime(3_600_000);
  expect(hydrate).not.toHaveBeenCalled();
});

it('announces a loss after five seconds, and hands the log over to React without the text', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  await start();
  FakeEventSource.last.open();
  FakeEventSource.last.break();
  vi.advanceTimersByTime(4999);
  expect(announced()).toBe('');
  vi.advanceTimersByTime(1);
  expect(announced()).toMatch(/^Reconnecting · state of /);
  page.stop();
  expect(announced()).toBe('');
  page.follow('org-1', 7, noListener);
  FakeEventSource.last.break();
  vi.advanceTimersByTime(5000);
  expect(announced()).toMatch(/^Reconnecting/);
  FakeEventSource.last.open();
  expect(announced()).toBe('Live');
});

it('announces that it is live once React is loaded after a failure that was announced', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  await start();
  FakeEventSource.last.open();
  hydrate.mockReset().mockRejectedValue(new Error('offline'));
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await vi.advanceTimersByTimeAsync(6000);
  expect(announced()).toMatch(/^Reconnecting/);
  page.stop();
  expect(announced()).toBe('');
  page.follow('org-1', 7, noListener);
  expect(announced()).toBe('Live');
});

it('lets React take over at the first event, and hands the stream and its events over', async () => {
  await start();
  FakeEventSource.last.open();
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  FakeEventSource.last.send('component-deleted', ['c2'], '9');
  expect(hydrate).toHaveBeenCalledExactlyOnceWith(page);
  expect(page.stop()).toEqual({ status: 'live', asOf: drawnAt });
  FakeEventSource.last.break();
  const received: unknown[] = [];
  const stop = page.follow('org-1', 7, {
    ...noListener,
    onEvent: ({ args }) => received.push(args),
    onConnected: (connected) => received.push(connected),
  });
  FakeEventSource.last.send('component-deleted', ['c3'], '10');
  expect(received).toEqual([['c1'], ['c2'], false, ['c3']]);
  expect(shown()).toBe('Live');
  expect(FakeEventSource.all).toHaveLength(1);
  stop();
  expect(FakeEventSource.last.readyState).toBe(EventSource.CLOSED);
});

it('tries again by itself if React cannot be loaded at an event, and does not claim to be live', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  await start();
  FakeEventSource.last.open();
  hydrate.mockRejectedValueOnce(new Error('offline'));
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await expect.poll(() => shown()).toMatch(/^Reconnecting/);
  await expect.poll(() => hydrate).toHaveBeenCalledTimes(2);
  expect(page.stop().status).toBe('live');
  expect(shown()).toBe('Live');
  expect(errors).toHaveBeenCalledOnce();
});

it('does not claim to be live after a reconnect while it lacks an event', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  await start();
  FakeEventSource.last.open();
  hydrate.mockRejectedValueOnce(new Error('offline'));
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await expect.poll(() => shown()).toMatch(/^Reconnecting/);
  const lacking = shown();
  vi.setSystemTime('2026-11-20T12:05:00.000Z');
  FakeEventSource.last.break();
  FakeEventSource.last.open();
  expect(shown()).toBe(lacking);
  await expect.poll(() => hydrate).toHaveBeenCalledTimes(2);
});

it('waits for a node that lags behind the page', async () => {
  const states = [aSnapshot({ revision: 6 }), aSnapshot({ revision: 7 })];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => {
      const data = states.shift();
      return HttpResponse.json({ data }, { headers: { ETag: `"${data?.revision}-a"` } });
    }),
  );
  page = new LivePage({ orgId: 'org-1', tag: '7-a' }, false, hydrate);
  expect(await page.state).toMatchObject({ state: { revision: 7 }, isDrawn: true });
  expect(hydrate).not.toHaveBeenCalled();
});

it('waits for a node that lags behind the page, also after failed reads', async () => {
  vi.useFakeTimers();
  const read = vi.spyOn(globalThis, 'fetch');
  for (let failed = 0; failed < 3; failed += 1) read.mockRejectedValueOnce(new TypeError());
  for (const revision of [6, 6, 7]) {
    const headers = { ETag: `"${revision}-a"` };
    read.mockResolvedValueOnce(Response.json({ data: aSnapshot({ revision }) }, { headers }));
  }
  page = new LivePage({ orgId: 'org-1', tag: '7-a' }, false, hydrate);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(read).toHaveBeenCalledTimes(6);
  expect(await page.state).toMatchObject({ state: { revision: 7 }, isDrawn: true });
});

it('gives an older state than that of the page what it lacks', async () => {
  await start();
  const first = FakeEventSource.last;
  first.send('component-deleted', ['c2'], '8');
  const received: unknown[] = [];
  const stop = page.follow('org-1', 6, {
    ...noListener,
    onEvent: ({ args }) => received.push(args),
  });
  expect(first.readyState).toBe(EventSource.CLOSED);
  expect(FakeEventSource.last.url).toBe('/api/v1/status/org-1/events?since=6');
  FakeEventSource.last.send('component-deleted', ['c1'], '7');
  FakeEventSource.last.send('component-deleted', ['c2'], '8');
  expect(received).toEqual([['c1'], ['c2']]);
  stop();
});

it('stays without React when a reconnect finds the same state', async () => {
  await start();
  FakeEventSource.last.giveUp();
  await expect.poll(() => FakeEventSource.all).toHaveLength(2);
  expect(hydrate).not.toHaveBeenCalled();
});

it('keeps a young page whose files are missing, and tries again', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(performance, 'now').mockReturnValue(59_999);
  await start();
  const headers = { 'X-Request-Id': '0123' };
  hydrate.mockRejectedValueOnce(new FailedResponse(new Response(null, { status: 404, headers })));
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await expect.poll(() => hydrate).toHaveBeenCalledTimes(2);
});

it('keeps a page whose proxy has no server, and tries again', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(performance, 'now').mockReturnValue(60_001);
  await start();
  hydrate.mockRejectedValueOnce(new FailedResponse(new Response(null, { status: 404 })));
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await expect.poll(() => hydrate).toHaveBeenCalledTimes(2);
});

it('lets React take over when the state is another than that of the page', async () => {
  await start({ tag: '"8-a"' });
  expect(hydrate).toHaveBeenCalledOnce();
});

it('takes bars that end on another day for another state', async () => {
  expect(await start({ generatedAt: '2026-11-21T12:00:00.000Z' })).toMatchObject({
    isDrawn: false,
  });
  expect(hydrate).toHaveBeenCalledOnce();
});

it('lets React read figures when an outage has lasted a minute', async () => {
  await start({ status: 'MAJOR_OUTAGE' });
  vi.advanceTimersByTime(59_999);
  expect(hydrate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(hydrate).toHaveBeenCalledOnce();
});

it('lets React read figures when a day begins', async () => {
  await start();
  vi.setSystemTime('2026-11-20T23:58:30.000Z');
  vi.advanceTimersByTime(60_000);
  expect(hydrate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(hydrate).toHaveBeenCalledOnce();
});

it('opens no stream for a visitor who may be signed in, and lets React choose', async () => {
  await start({ maybeSignedIn: true });
  expect(hydrate).toHaveBeenCalledOnce();
  expect(FakeEventSource.all).toHaveLength(0);
});

it('moves the focus to what has been drawn in place of the focused element', async () => {
  document.body.insertAdjacentHTML('beforeend', '<a href="/">View history</a>');
  await start();
  document.querySelector('a')?.focus();
  hydrate.mockImplementation(() => {
    page.stop();
    document.querySelector('a')?.remove();
    document.body.insertAdjacentHTML('beforeend', '<a href="/">View history</a>');
    return Promise.resolve();
  });
  FakeEventSource.last.send('component-deleted', ['c1'], '8');
  await expect.poll(() => document.querySelector('a')).toHaveFocus();
});

it('presses the button that the address names, once', async () => {
  const pressed = vi.fn();
  const button = document.body.appendChild(document.createElement('button'));
  button.id = 'k3v8q2';
  button.setAttribute('aria-haspopup', 'dialog');
  button.addEventListener('click', pressed);
  window.history.replaceState(null, '', '/status/org-1#k3v8q2');
  await start();
  expect(hydrate).toHaveBeenCalledExactlyOnceWith(page);
  expect(pressed).toHaveBeenCalledOnce();
  expect(window.location.hash).toBe('');
});

it.each(['#components', '#%E0%A4%A', '#'])('presses nothing at %s', async (hash) => {
  document.body.append(Object.assign(document.createElement('h2'), { id: 'components' }));
  window.history.replaceState(null, '', `/status/org-1${hash}`);
  await start();
  expect(hydrate).not.toHaveBeenCalled();
  expect(window.location.hash).toBe(hash === '#' ? '' : hash);
  window.history.replaceState(null, '', '/');
});
