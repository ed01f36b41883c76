import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeEventSource } from '../src/features/status-page/fake-event-source.ts';
import { removeListenersAfterTest } from '../src/testing/listeners.ts';
import { withEvents } from './with-events.ts';

/** What the server sends for the page of this test. */
let page: (revision: string) => Promise<Response>;
let isHidden: boolean;
const requests = vi.fn((url: URL) => page(url.searchParams.get('revision') ?? ''));

const live = (revision: number | string, content: string) =>
  `<p data-loss></p><div data-live data-events="/events" data-revision="${revision}">${content}</div><p data-announcement></p>`;
const link = (revision: number | string) => `<a href="/status">Revision ${revision}</a>`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  isHidden = false;
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  vi.stubGlobal('fetch', requests);
  FakeEventSource.install();
  requests.mockClear();
  page = (revision) => Promise.resolve(new Response(live(revision, link(revision))));
  document.body.innerHTML = live(7, link(7));
  removeListenersAfterTest();
});

afterEach(() => void vi.useRealTimers());

/** Hides the page, or shows it. */
function setHidden(value: boolean) {
  isHidden = value;
  document.dispatchEvent(new Event('visibilitychange'));
}

const run = async (name: string) => void runInThisContext(await withEvents(name));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const shown = () => document.querySelector('[data-live]')?.textContent;
const announced = () => document.querySelector('[data-announcement]')?.textContent;
const loss = () => document.querySelector('[data-loss]')?.textContent;

/** The server has this page since revision 8, and sends an event. */
async function change(html: string, revision = 8) {
  page = () => Promise.resolve(new Response(html));
  FakeEventSource.last.send('component-deleted', ['x'], String(revision));
  await pass(200);
}

for (const script of ['history-live.js', 'embed-frame.js']) {
  describe(script, () => {
    it('reads the page again after an event', async () => {
      await run(script);
      expect(FakeEventSource.last.url).toBe('/events?since=7');
      FakeEventSource.last.open();
      FakeEventSource.last.send('component-deleted', ['x'], '8');
      await pass(200);
      expect(shown()).toBe('Revision 8');
      expect(FakeEventSource.all).toHaveLength(1);
    });

    it('opens another stream after 50 seconds without a sign of life', async () => {
      await run(script);
      FakeEventSource.last.open();
      await pass(40_000);
      FakeEventSource.last.send('ping', []);
      await pass(49_999);
      expect(requests).not.toHaveBeenCalled();
      await pass(2);
      expect(FakeEventSource.all.map(({ readyState }) => readyState)).toEqual([
        EventSource.CLOSED,
        EventSource.CONNECTING,
      ]);
      expect(requests).toHaveBeenCalledOnce();
    });

    it('opens another stream when the page returns after 25 seconds without a sign of life', async () => {
      await run(script);
      FakeEventSource.last.open();
      await pass(25_000);
      document.dispatchEvent(new Event('visibilitychange'));
      await pass(1);
      expect(FakeEventSource.all).toHaveLength(1);
      window.dispatchEvent(new Event('online'));
      await pass(1);
      expect(FakeEventSource.all).toHaveLength(2);
    });

    it('does not wait for a response for ever', async () => {
      const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
      page = () => Promise.reject(new DOMException('late', 'TimeoutError'));
      await run(script);
      FakeEventSource.last.giveUp();
      await pass(2000);
      expect(timeout).toHaveBeenCalledExactlyOnceWith(20_000);
      expect(requests).toHaveBeenCalledOnce();
      await pass(4000);
      expect(requests).toHaveBeenCalledTimes(2);
    });

    it('waits longer after each failure, but half a minute at most', async () => {
      page = () => Promise.reject(new TypeError('offline'));
      await run(script);
      vi.mocked(Math.random).mockReturnValue(1);
      FakeEventSource.last.giveUp();
      for (const [failures, delay] of [8000, 16_000, 30_000, 30_000].entries()) {
        await pass(delay - 1);
        expect(requests).toHaveBeenCalledTimes(failures);
        await pass(1);
        expect(requests).toHaveBeenCalledTimes(failures + 1);
      }
    });

    it('loads the page again if the server has another version of it, unless the page is young', async () => {
      const reload = vi.fn();
      vi.stubGlobal('location', { href: location.href, reload });
      const age = vi.spyOn(performance, 'now').mockReturnValue(60_000);
      document.documentElement.dataset.version = 'old';
      onTestFinished(() => {
        delete document.documentElement.dataset.version;
      });
      await run(script);
      await change(`<html data-version="new">${live(8, link(8))}`);
      expect(shown()).toBe('Revision 8');
      expect(reload).not.toHaveBeenCalled();
      requests.mockClear();
      await pass(60_000);
      expect(requests).toHaveBeenCalledOnce();

      age.mockReturnValue(60_001);
      await change(`<html data-version="old">${live(9, link(9))}`, 9);
      expect(shown()).toBe('Revision 9');
      expect(reload).not.toHaveBeenCalled();
      await change('<html><h1>Maintenance</h1>', 10);
      expect(shown()).toBe('Revision 9');
      expect(reload).not.toHaveBeenCalled();
      await change('<html data-version="new">', 11);
      expect(shown()).toBe('Revision 9');
      expect(reload).toHaveBeenCalledOnce();
    });
  });
}

describe('history-live.js', () => {
  it('keeps the focus on its link when the page changes', async () => {
    const links = '<a href="/older">Older</a> <a href="/newer">Newer</a>';
    document.body.innerHTML = live(7, links);
    await run('history-live.js');
    document.querySelector<HTMLElement>('[href="/newer"]')?.focus();
    await change(live(8, `${links} <a href="/older">Again</a>`));
    expect(shown()).toContain('Again');
    expect(document.activeElement?.textContent).toBe('Newer');
  });

  it.each([
    ['day of a month', '<a href="#2026-11">Nov 3</a> <a id="focused" href="#2026-11">Nov 23</a>'],
    ['summary', '<details><summary id="focused">9 components affected</summary></details>'],
  ])('keeps the focus on its %s', async (_, content) => {
    document.body.innerHTML = live(7, `<a href="/x">x</a>${content}`);
    await run('history-live.js');
    document.getElementById('focused')?.focus();
    await change(live(8, `<a href="/x">x</a>${content} 41 mins`));
    expect(shown()).toContain('41 mins');
    expect(document.activeElement?.id).toBe('focused');
  });

  it('leaves the focus outside the changed part alone', async () => {
    document.body.innerHTML = `<button>Show</button>${live(7, '')}`;
    await run('history-live.js');
    document.querySelector('button')?.focus();
    FakeEventSource.last.send('component-deleted', ['x'], '8');
    await pass(200);
    expect(document.activeElement?.textContent).toBe('Show');
  });

  it('adds the icons that the page did not have', async () => {
    const icons = (...names: string[]) =>
      `<svg hidden>${names.map((name) => `<symbol id="${name}"></symbol>`).join('')}</svg>`;
    const known = () =>
      Array.from(document.querySelectorAll('body > svg > symbol'), ({ id }) => id);
    document.body.innerHTML = icons('logo', 'search') + live(7, '');
    await run('history-live.js');
    await change(icons('logo', 'crosshair') + live(8, '<svg><use href="#crosshair"/></svg>'));
    expect(known()).toEqual(['logo', 'search', 'crosshair']);
    await change(icons('logo', 'crosshair') + live(9, 'Over'), 9);
    expect(known()).toEqual(['logo', 'search', 'crosshair']);
  });

  it('announces each new update, and other changes with their time', async () => {
    const update = (id: string, label: string, message: string) =>
      `<li id="${id}"><p><span>${label}</span><span><time datetime="2026-11-20T10:00:00.000Z">Nov 20</time></span></p>` +
      `<p dir="auto">${message}</p></li>`;
    const timeline = (...updates: string[]) => `<ol class="timeline">${updates.join('')}</ol>`;
    const first = update('1', 'Investigating', 'We look into it.');
    document.body.innerHTML = live(7, timeline(first));
    await run('history-live.js');
    const second = update('2', 'Identified', 'It is the cache.');
    await change(live(8, timeline(second, first)));
    expect(announced()).toBe('New update: Identified. It is the cache.');

    vi.setSystemTime('2026-11-20T10:02:03.000Z');
    await change(live(9, timeline(first)), 9);
    const deleted = announced();
    expect(deleted).toMatch(/^This page was updated at .*\b02:03\b/);
    vi.setSystemTime('2026-11-20T10:02:30.000Z');
    await change(live(10, timeline()), 10);
    expect(announced()).not.toBe(deleted);
  });

  it('goes on after a 404 that is not of Allclear, and loads the page again after one that is', async () => {
    const reload = vi.fn();
    vi.stubGlobal('location', { href: location.href, reload });
    page = () => Promise.resolve(new Response('404 page not found', { status: 404 }));
    await run('history-live.js');
    FakeEventSource.last.giveUp();
    await pass(2000);
    expect(requests).toHaveBeenCalledOnce();
    expect(reload).not.toHaveBeenCalled();
    // Not each page of Allclear has a version.
    const headers = { 'X-Request-Id': '0123' };
    page = () => Promise.resolve(new Response('<h1>Not found</h1>', { status: 404, headers }));
    await pass(4000);
    expect(requests).toHaveBeenCalledTimes(2);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('says of which time the page is until it is connected again', async () => {
    vi.setSystemTime('2026-11-20T10:02:03.000Z');
    await run('history-live.js');
    FakeEventSource.last.open();
    expect(loss()).toBe('');
    FakeEventSource.last.break();
    const text = loss();
    expect(text).toMatch(/^ · Reconnecting, state of .*\b02:03\b.* \(your time\)$/);
    vi.setSystemTime('2026-11-20T10:05:00.000Z');
    FakeEventSource.last.break();
    expect(loss()).toBe(text);
    FakeEventSource.last.open();
    expect(loss()).toBe('');
  });

  it('says when it had the last sign of life, and forgets that once it is read again', async () => {
    vi.setSystemTime('2026-11-20T10:02:03.000Z');
    await run('history-live.js');
    FakeEventSource.last.open();
    vi.setSystemTime('2026-11-20T19:00:00.000Z');
    page = () => Promise.resolve(new Response('Unavailable', { status: 503 }));
    FakeEventSource.last.giveUp();
    expect(loss()).toMatch(/\b02:03\b/);
    page = () => Promise.resolve(new Response(live(8, link(8))));
    await pass(30_000);
    expect(shown()).toBe('Revision 8');
    expect(loss()).toBe('');
  });

  it('says of which time the page is while it cannot be read', async () => {
    await run('history-live.js');
    FakeEventSource.last.open();
    page = () => Promise.resolve(new Response('Unavailable', { status: 503 }));
    FakeEventSource.last.send('component-deleted', ['x'], '8');
    await pass(200);
    expect(loss()).toMatch(/^ · Reconnecting/);
    page = () => Promise.resolve(new Response(live(8, link(8))));
    await pass(2000);
    FakeEventSource.last.open();
    expect(shown()).toBe('Revision 8');
    expect(loss()).toBe('');
  });

  it.each([
    ['until then', '2026-11-20T10:05:00.000Z', 300_000],
    ['half a minute at least', '2026-11-20T10:00:01.000Z', 30_000],
    ['an hour at most', '2027-01-10T00:00:00.000Z', 3_600_000],
  ])('reads a page that changes with the clock again, and waits %s', async (_, until, wait) => {
    vi.setSystemTime('2026-11-20T10:00:00.000Z');
    document.body.innerHTML = live(7, '').replace('<div', `<div data-until="${until}"`);
    await run('history-live.js');
    const passAlive = async (ms: number) => {
      for (let rest = ms; rest > 0; rest -= 10_000) {
        FakeEventSource.last.send('ping', []);
        await pass(Math.min(rest, 10_000));
      }
    };
    await passAlive(wait - 1);
    expect(requests).not.toHaveBeenCalled();
    await passAlive(1000);
    expect(requests).toHaveBeenCalledOnce();
  });

  it('stays connected while the page is hidden', async () => {
    await run('history-live.js');
    FakeEventSource.last.open();
    setHidden(true);
    expect(FakeEventSource.last.readyState).toBe(EventSource.OPEN);
    await change(live(8, link(8)));
    expect(shown()).toBe('Revision 8');
    expect(FakeEventSource.all).toHaveLength(1);
  });

  it('shows the icon of the theme that comes next, and follows another tab', async () => {
    document.documentElement.dataset.theme = 'light';
    document.body.innerHTML =
      '<svg hidden></svg><header><button data-script="needed"><svg><use href="#sun"/></svg></button></header>';
    await run('history-live.js');
    const button = document.querySelector('button');
    const icon = () => button?.querySelector('use')?.getAttribute('href');
    expect(document.querySelector('body > svg #moon')).not.toBeNull();
    expect(icon()).toBe('#moon');
    expect(button?.getAttribute('aria-label')).toBe('Switch to dark theme');
    button?.click();
    expect(icon()).toBe('#sun');
    expect(localStorage.getItem('allclear:theme')).toBe('dark');

    localStorage.setItem('allclear:theme', 'light');
    window.dispatchEvent(new StorageEvent('storage'));
    expect(document.documentElement.dataset.theme).toBe('light');
    expect(icon()).toBe('#moon');
    expect(button?.getAttribute('aria-label')).toBe('Switch to dark theme');
  });
});

describe('embed-frame.js', () => {
  const banner = (revision: number, text: string, isTrouble: boolean) =>
    live(revision, `<a href="/status/${revision}"><strong>${text}</strong></a>`).replace(
      '<div',
      `<div data-trouble="${String(isTrouble)}"`,
    );

  it('fills a hidden frame once the host page shows it, so that the change is read', async () => {
    const report = vi.spyOn(window, 'postMessage').mockImplementation(() => undefined);
    document.body.innerHTML = banner(7, 'Operational', false);
    vi.stubGlobal('innerHeight', 0);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (
      this: HTMLElement,
    ) {
      return this.textContent === '' ? 20 : 40;
    });
    const minHeight = () => document.querySelector<HTMLElement>('[data-live]')?.style.minHeight;
    await run('embed-frame.js');
    report.mockClear();
    await change(banner(8, 'Major Outage', true));
    expect(report).toHaveBeenLastCalledWith(expect.objectContaining({ trouble: true }), '*');
    expect(shown()).toBe('');
    expect(minHeight()).toBe('40px');
    await pass(150);
    expect(shown()).toBe('Major Outage');
    expect(minHeight()).toBe('');
    expect(report).toHaveBeenCalledTimes(2);

    await change(banner(9, 'Operational', false), 9);
    expect(shown()).toBe('Operational');
  });

  it('has no connection while the page is hidden, and shows the current state afterwards', async () => {
    await run('embed-frame.js');
    FakeEventSource.last.open();
    setHidden(true);
    expect(FakeEventSource.last.readyState).toBe(EventSource.CLOSED);
    await pass(200_000);
    window.dispatchEvent(new Event('online'));
    await pass(200_000);
    expect(requests).not.toHaveBeenCalled();
    expect(FakeEventSource.all).toHaveLength(1);

    page = () => Promise.resolve(new Response(live(9, link(9))));
    setHidden(false);
    await pass(1);
    expect(shown()).toBe('Revision 9');
    expect(FakeEventSource.all).toHaveLength(2);
    expect(FakeEventSource.last.url).toBe('/events?since=9');
  });

  it('opens no stream if the page is hidden while its state is read', async () => {
    let respond = (): void => undefined;
    page = (revision) =>
      new Promise((resolve) => {
        respond = () => resolve(new Response(live(revision, link(revision))));
      });
    await run('embed-frame.js');
    FakeEventSource.last.giveUp();
    await pass(2000);
    setHidden(true);
    respond();
    await pass(200_000);
    expect(requests).toHaveBeenCalledOnce();
    expect(FakeEventSource.all).toHaveLength(1);
  });

  it('connects when a page that was hidden from the start is shown', async () => {
    setHidden(true);
    await run('embed-frame.js');
    expect(FakeEventSource.all).toHaveLength(0);
    setHidden(false);
    await pass(1);
    expect(requests).toHaveBeenCalledOnce();
    expect(FakeEventSource.all).toHaveLength(1);
  });

  it('keeps the focus on its link', async () => {
    document.body.innerHTML = banner(7, 'Outage', true);
    await run('embed-frame.js');
    document.querySelector('a')?.focus();
    await change(banner(8, 'Major Outage', true));
    expect(shown()).toBe('Major Outage');
    expect(document.activeElement?.getAttribute('href')).toBe('/status/8');
  });
});
