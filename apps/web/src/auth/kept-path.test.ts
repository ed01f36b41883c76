import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetPath, keepPath, pathAfterSignIn } from './kept-path';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('keeps a path for some minutes', () => {
  keepPath('/incidents/incident/edit/i1');
  vi.advanceTimersByTime(599_000);
  expect(pathAfterSignIn()).toBe('/incidents/incident/edit/i1');
  vi.advanceTimersByTime(1000);
  expect(pathAfterSignIn()).toBe('/dashboard');
});

it('keeps the query and the hash of a path', () => {
  keepPath('/audit?targetId=i%201&actor=%C3%A9#change');
  expect(pathAfterSignIn()).toBe('/audit?targetId=i%201&actor=%C3%A9#change');
});

it('forgets a path', () => {
  keepPath('/incidents');
  forgetPath();
  expect(pathAfterSignIn()).toBe('/dashboard');
});

it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', 'incidents', ''])(
  'does not lead to %j',
  (path) => {
    keepPath(path);
    expect(pathAfterSignIn()).toBe('/dashboard');
  },
);

it.each(['null', '{', '{"path":7}', '{"path":"/incidents"}'])('ignores %s', (text) => {
  sessionStorage.setItem('allclear:kept-path', text);
  expect(pathAfterSignIn()).toBe('/dashboard');
});
