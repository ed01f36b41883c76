import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeEventSource } from '../src/features/status-page/fake-event-source.ts';
import { removeListenersAfterTest } from '../src/testing/listeners.ts';
import { withEvents } from './with-events.ts';

/** What the server sends for the page of this test. */
let page: (revision: string) => Promise<Response>;
const requests = vi.fn((url: URL) => page(url.searchParams.get('revision') ?? ''));

const live = (revision: number | string, content: string) =>
  `<div data-live data-events="/events" data-revision="${revision}">${content}</div><p data-announcement></p>`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  vi.stubGlobal('fetch', requests);
  FakeEventSource.install();
  requests.mockClear();
  page = (revision) => Promise.resolve(new Response(live(revision, `Revision ${revision}`)));
  document.body.innerHTML = live(7, 'Revision 7');
  removeListenersAfterTest();
});

afterEach(() => void vi.useRealTimers());

const run = async (name: string) => void runInThisContext(await withEvents(name));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const shown = () => document.querySelector('[data-live]')?.textContent;

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
  });
}

describe('history-live.js', () => {
  it('keeps the focus on its link when the page changes', async () => {
    const links = '<a href="/older">Older</a> <a href="/newer">Newer</a>';
    document.body.innerHTML = live(7, links);
    page = () => Promise.resolve(new Response(live(8, `${links} <a href="/older">Again</a>`)));
    await run('history-live.js');
    document.querySelector<HTMLElement>('[href="/newer"]')?.focus();
    FakeEventSource.last.send('component-deleted', ['x'], '8');
    await pass(200);
    expect(shown()).toContain('Again');
    expect(document.activeElement?.textContent).toBe('Newer');
  });

  it('leaves the focus outside the changed part alone', async () => {
    document.body.innerHTML = `<button>Show</button>${live(7, '')}`;
    await run('history-live.js');
    document.querySelector('button')?.focus();
    FakeEventSource.last.send('component-deleted', ['x'], '8');
    await pass(200);
    expect(document.activeElement?.textContent).toBe('Show');
  });

  it('submits the filter only when the visitor asks for it', async () => {
    document.body.innerHTML =
      '<form><select class="history-select"><option>A<option>B</select></form>';
    const submit = vi.fn();
    vi.spyOn(HTMLFormElement.prototype, 'requestSubmit').mockImplementation(submit);
    await run('history-live.js');
    document.querySelector('select')?.dispatchEvent(new Event('change', { bubbles: true }));
    expect(submit).not.toHaveBeenCalled();
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
