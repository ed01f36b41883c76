import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showLocalTimes } from './local-times';

const clock = { end: new AbortController() };

beforeEach(() => {
  clock.end = new AbortController();
  vi.useFakeTimers();
  vi.setSystemTime('2026-11-20T12:00:00.000Z');
  document.body.innerHTML = `
    <span class="time"><span>Created <time datetime="2026-11-20T09:30:00.000Z">UTC</time></span></span>
    <dd class="time"><span>---</span></dd>`;
});

afterEach(() => {
  clock.end.abort();
  vi.useRealTimers();
});

it('writes times and their distance like React', () => {
  showLocalTimes(document, clock.end.signal);
  const [created, end] = document.querySelectorAll('.time');
  expect(created?.innerHTML).toBe(
    '<span>Created <time datetime="2026-11-20T09:30:00.000Z" title="2026-11-20T09:30:00.000Z">' +
      'Nov 20, 2026 10:30:00 AM</time></span><span class="time-distance"> 2 hours ago</span>',
  );
  expect(end?.innerHTML).toBe('<span>---</span>');
});

it('takes no time of an incident for a future one, but those of a maintenance', () => {
  vi.setSystemTime('2026-11-20T09:20:00.000Z');
  document.body.insertAdjacentHTML(
    'beforeend',
    '<dd class="time"><time datetime="2026-11-20T09:30:00.000Z">UTC</time></dd>',
  );
  showLocalTimes(document, clock.end.signal);
  const distances = [...document.querySelectorAll('.time-distance')];
  expect(distances.map((distance) => distance.textContent)).toEqual([
    ' just now',
    ' in 10 minutes',
  ]);
});

it('takes no time of a completed maintenance for a future one, but those of a cancelled one', () => {
  const maintenance = (tone: string) => `
    <article class="past">
      <header class="heading"><h3>Move</h3><span class="quiet" data-tone="${tone}"></span></header>
      <dl><dd class="time"><time datetime="2026-11-20T12:10:00.000Z">UTC</time></dd></dl>
    </article>`;
  document.body.innerHTML = maintenance('operational') + maintenance('neutral');
  showLocalTimes(document, clock.end.signal);
  const distances = [...document.querySelectorAll('.time-distance')];
  expect(distances.map((distance) => distance.textContent)).toEqual([
    ' just now',
    ' in 10 minutes',
  ]);
});

it('moves the distance on until it is stopped', () => {
  showLocalTimes(document, clock.end.signal);
  const distance = () => document.querySelector('.time-distance')?.textContent;
  vi.advanceTimersByTime(30 * 60_000);
  expect(distance()).toBe(' 3 hours ago');
  vi.setSystemTime('2026-11-20T13:30:00.000Z');
  clock.end.abort();
  expect(distance()).toBe(' 4 hours ago');
  vi.advanceTimersByTime(120 * 60_000);
  expect(distance()).toBe(' 4 hours ago');
});
