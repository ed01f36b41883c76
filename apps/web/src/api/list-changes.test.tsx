import { act, screen } from '@testing-library/react';
import { delay, http } from 'msw';
import { useEffect } from 'react';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, server } from '@/testing/server';
import { addItem, patchItem, removeItem, type ListChange } from './list-changes';
import { useList, useUpdateLists } from './use-list';

interface Service {
  id: string;
  name: string;
}

let change: (change: ListChange<Service>) => void;

/** Hands the hook's function to the test. */
function useChange() {
  const current = useUpdateLists();
  useEffect(() => {
    change = (listChange) => current(endpoints.components.list, listChange);
  }, [current]);
}

function Services() {
  const list = useList<Service>(endpoints.components.list);
  useChange();
  return (
    <>
      <p>{list.rows?.map(({ name }) => name).join(', ') ?? 'Loading'}</p>
      <button onClick={list.showOlder}>Show older</button>
    </>
  );
}

const service = (id: string, name = id) => ({ id, name });

/** Serves c and b as the newest page, a as the one before. */
function servePages() {
  server.use(
    http.get(apiUrl(endpoints.components.list), ({ request }) =>
      new URL(request.url).searchParams.has('before')
        ? success([service('a')], { next: null })
        : success([service('c'), service('b')], { next: 'b' }),
    ),
  );
}

it('adds new items at the top, updates changed ones in place and removes deleted ones', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  await user.click(screen.getByRole('button', { name: 'Show older' }));
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
  server.use(
    http.get(apiUrl(endpoints.components.list), async () => {
      const now = names.map((name) => service(name));
      await delay(40);
      return success(now);
    }),
  );
  renderScreen(<Services />);
  await new Promise((resolve) => setTimeout(resolve, 10));
  names.unshift('d');
  act(() => change(addItem(service('d'))));
  expect(await screen.findByText('d, c')).toBeInTheDocument();
});
