import { act, screen } from '@testing-library/react';
import { delay, http } from 'msw';
import { useEffect } from 'react';
import { expect, it } from 'vitest';
import { calls } from '@/paths';
import { renderScreen } from '@/testing/render';
import { answer, apiUrl, server } from '@/testing/server';
import { withNew, without, withReplaced, type ListChange } from './list-changes';
import { useChangeList, useList } from './use-list';
import { useQuery } from './use-query';

interface Service {
  id: string;
  name: string;
}

let change: (change: ListChange<Service>) => void;

/** Hands the hook's function to the test. */
function useChange() {
  const current = useChangeList<Service>(calls.components.list);
  useEffect(() => {
    change = current;
  }, [current]);
}

function Services() {
  const list = useList<Service>(calls.components.list);
  useChange();
  return (
    <>
      <p>{list.rows?.map(({ name }) => name).join(', ') ?? 'Loading'}</p>
      <button onClick={list.showOlder}>Show older</button>
      <button onClick={() => void list.refresh()}>Refresh</button>
    </>
  );
}

const service = (id: string, name = id) => ({ id, name });

/** Serves c and b as the newest page, a as the one before. */
function servePages() {
  server.use(
    http.get(apiUrl(calls.components.list), ({ request }) =>
      new URL(request.url).searchParams.has('before')
        ? answer([service('a')], { next: null })
        : answer([service('c'), service('b')], { next: 'b' }),
    ),
  );
}

it('shows what is new on top, what has changed in its place, and no longer what is gone', async () => {
  servePages();
  const { user } = renderScreen(<Services />);
  await screen.findByText('c, b');
  await user.click(screen.getByRole('button', { name: 'Show older' }));
  await screen.findByText('c, b, a');
  act(() => change(withNew(service('d'))));
  expect(await screen.findByText('d, c, b, a')).toBeInTheDocument();
  act(() => change(withReplaced(service('a', 'A'))));
  expect(await screen.findByText('d, c, b, A')).toBeInTheDocument();
  act(() => change(without('b')));
  expect(await screen.findByText('d, c, A')).toBeInTheDocument();
});

it('shows an item once that arrives twice', async () => {
  servePages();
  renderScreen(<Services />);
  await screen.findByText('c, b');
  act(() => change(withNew(service('d'))));
  act(() => change(withNew(service('d', 'D'))));
  expect(await screen.findByText('D, c, b')).toBeInTheDocument();
});

it('leaves alone what it does not show', async () => {
  servePages();
  renderScreen(<Services />);
  await screen.findByText('c, b');
  act(() => change(withReplaced(service('unknown'))));
  act(() => change(without('unknown')));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(screen.getByText('c, b')).toBeInTheDocument();
});

it('does not lose what happens while the first answer is on its way', async () => {
  const names = ['c'];
  server.use(
    http.get(apiUrl(calls.components.list), async () => {
      const now = names.map((name) => service(name));
      await delay(40);
      return answer(now);
    }),
  );
  renderScreen(<Services />);
  await new Promise((resolve) => setTimeout(resolve, 10));
  names.unshift('d');
  act(() => change(withNew(service('d'))));
  expect(await screen.findByText('d, c')).toBeInTheDocument();
});

it('keeps a list that was read as a whole in step too', async () => {
  server.use(http.get(apiUrl(calls.components.list), () => answer([service('b')])));
  function Whole() {
    useChange();
    const { data } = useQuery<Service[]>(calls.components.list);
    return <p>{data?.map(({ name }) => name).join(', ') ?? 'Loading'}</p>;
  }
  renderScreen(<Whole />);
  await screen.findByText('b');
  act(() => change(withNew(service('c'))));
  expect(await screen.findByText('c, b')).toBeInTheDocument();
});
