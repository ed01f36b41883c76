import { beforeEach, expect, it, vi } from 'vitest';
import { ConnectionAnnouncer, withAnnouncer } from './connection-announcer';
import type { StateListener } from './event-stream';

let announcer: ConnectionAnnouncer;

beforeEach(() => {
  vi.useFakeTimers();
  announcer = new ConnectionAnnouncer();
  document.body.innerHTML =
    '<p class="live"><span></span><span>Reconnecting · state of 02:07 PM</span></p><div role="log"></div>';
  return () => announcer.stop();
});

const announced = () => document.querySelector('[role=log]')?.textContent;

it('announces a loss after five seconds, and then that the page is live again', () => {
  announcer.update(true);
  announcer.update(false);
  vi.advanceTimersByTime(4999);
  expect(announced()).toBe('');
  vi.advanceTimersByTime(1);
  expect(announced()).toBe('Reconnecting · state of 02:07 PM');
  announcer.update(true);
  expect(announced()).toBe('Live');
});

it('announces neither a shorter loss nor its end', () => {
  announcer.update(true);
  announcer.update(false);
  vi.advanceTimersByTime(4999);
  announcer.update(true);
  vi.advanceTimersByTime(60_000);
  expect(announced()).toBe('');
});

it('announces no shorter loss after a longer one', () => {
  announcer.update(false);
  vi.advanceTimersByTime(5000);
  announcer.update(true);
  announcer.update(false);
  vi.advanceTimersByTime(4999);
  expect(announced()).toBe('Live');
  announcer.update(true);
  vi.advanceTimersByTime(60_000);
  expect(announced()).toBe('');
});

it('announces a loss once, though attempts to reconnect fail', () => {
  announcer.update(false);
  vi.advanceTimersByTime(3000);
  announcer.update(false);
  vi.advanceTimersByTime(2000);
  const text = document.querySelector('[role=log] p');
  expect(text).not.toBeNull();
  announcer.update(false);
  vi.advanceTimersByTime(60_000);
  expect(document.querySelector('[role=log] p')).toBe(text);
});

it('announces nothing of a page that is left, and notifies the listener meanwhile', () => {
  const listener = { onEvent: vi.fn(), onState: vi.fn(), onConnected: vi.fn() };
  let follower: StateListener = listener;
  const close = vi.fn();
  const follow = withAnnouncer((_orgId, _revision, wrapped) => {
    follower = wrapped;
    return close;
  });
  const leave = follow('org-1', 7, listener);
  follower.onConnected(false);
  expect(listener.onConnected).toHaveBeenCalledExactlyOnceWith(false);
  vi.advanceTimersByTime(5000);
  expect(announced()).toMatch(/^Reconnecting/);
  leave();
  expect(close).toHaveBeenCalledOnce();
  expect(announced()).toBe('');
  follower.onConnected(false);
  leave();
  vi.advanceTimersByTime(5000);
  expect(announced()).toBe('');
});
