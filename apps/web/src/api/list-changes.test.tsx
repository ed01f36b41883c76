import { act, screen } from '@testing-library/react';
import { http } from 'msw';
import { useEffect } from 'react';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, server, hold } from '@/testing/server';
import { useListCache } from './list-cache';
import { addItem, patchItem, removeItem, type ListChange } from './list-changes';
import { maxWaitingChanges } from './query-cache';
import { useList } from './use-list';

interface Service {
  id: string;
  name: string;
}

let change: (change: ListChange<Service>) => void;

/** Hands the method of the hook's cache to the test. */
function useChange() {
  const listCache = useListCache();
  useEffect(() => {
    change = (listChange) => listCache.update(endpoints.components.list, listChange);
  }, [listCache]);
}

function Services() {
  const list = useList<Service>(endpoints.components.list);
  useChange();
  return (
    <>
      <p>{list.rows?.map(({ name }) => name).join(', ') ?? 'Loading'}</p>
      <button onClick={list.showOlder}>Show Older</button>
      <button onClick={() => void list.refresh()}>Refresh</button>
    </>
  );
}

const service = (id: string, name = id) => ({ id, name });

/**
 * Serves c and b as the newest page, a as the one before. Records the `before` of each request; a
 * response is sent once `held` is resolved.
 */
function servePages({ names = ['c', 'b', 'a'], held = Promise.resolve() } = {}) {
  const [c = '', b = '', a = ''] = names;
  const asked: (string | null)[] = [];
  server.use(
    http.get(apiUrl(endpoints.components.list), async ({ request }) => {
      const before = new URL(request.url).searchParams.get('before');
      asked.push(before);
      await held;
      return before === null
        ? success([service('c', c), service('b', b)], { next: 'b' })
        : success([service('a', a)], { next: null });
    }),
  );
  return asked;
}

it('adds new items at the top, updates changed ones in place and removes deleted ones', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  await screen.findByText('c, b, a');
  act(() => change(addItem(service('d'))));
  expect(await screen.findByText('d, c, b, a')).toBeInTheDocument();
  act(() => change(patchItem(service('a', 'A'))));
  expect(await screen.findByText('d, c, b, A')).toBeInTheDocument();
  act(() => change(removeItem('b')));
  expect(await screen.findByText('d, c, A')).toBeInTheDocument();
});

it('loses no event that arrives before the first response', async () => {
  const names = ['c'];
  const { held, release } = hold();
  let asked = 0;
  server.use(
    http.get(apiUrl(endpoints.components.list), async () => {
      const now = names.map((name) => service(name));
      asked += 1;
      await held;
      return success(now);
    }),
  );
  renderScreen(<Services />);
  await expect.poll(() => asked).toBe(1);
  names.unshift('d');
  act(() => change(addItem(service('d'))));
  release();
  expect(await screen.findByText('d, c')).toBeInTheDocument();
});

it('shows older rows, and loses no event that arrives while they are loaded', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  const { held, release } = hold();
  const asked = servePages({ held });
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  await expect.poll(() => asked).toEqual([null]);
  act(() => change(addItem(service('d'))));
  act(() => change(patchItem(service('b', 'B'))));
  act(() => change(patchItem(service('a', 'A'))));
  release();
  expect(await screen.findByText('d, c, B, A')).toBeInTheDocument();
  expect(asked).toEqual([null, 'b']);
});

it('keeps the response of a refresh during which an event arrives', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  const { held, release } = hold();
  servePages({ names: ['C', 'b'], held });
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  act(() => change(patchItem(service('b', 'B'))));
  release();
  expect(await screen.findByText('C, B')).toBeInTheDocument();
});

it('reads every page again if too many events arrive during a request', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  const { held, release } = hold();
  const asked = servePages({ held });
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  act(() => {
    for (let sent = 0; sent <= maxWaitingChanges; sent += 1) change(patchItem(service('a', 'A')));
  });
  release();
  await expect.poll(() => asked).toEqual([null, 'b', null, 'b']);
  expect(screen.getByText('c, b, a')).toBeInTheDocument();
});
