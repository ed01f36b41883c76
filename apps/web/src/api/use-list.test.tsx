import { screen } from '@testing-library/react';
import { http } from 'msw';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { useListCache } from './list-cache';
import { useList } from './use-list';
import { useQuery } from './use-query';

function Names({ path = endpoints.incidents.list }: { path?: string | null }) {
  const list = useList<string>(path);
  return (
    <>
      <p>{list.error?.message ?? list.rows?.join(', ') ?? 'Loading'}</p>
      {list.hasOlder && <button onClick={list.showOlder}>Show Older</button>}
      <button onClick={() => void list.refresh()}>Refresh</button>
    </>
  );
}

function Elsewhere({ list = <Names /> }) {
  const listCache = useListCache();
  const [shown, setShown] = useState(true);
  return (
    <>
      {shown && list}
      <button onClick={() => setShown(!shown)}>{shown ? 'Leave' : 'Return'}</button>
      <button onClick={() => void listCache.refresh(endpoints.incidents.list)}>Save</button>
    </>
  );
}

/** Serves `names` in pages of two, and records the requests. */
function serve(names: string[]) {
  const asked: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.incidents.list), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query.toString());
      const start = query.has('before') ? names.indexOf(query.get('before') ?? '') + 1 : 0;
      const page = names.slice(start, start + 2);
      return success(page, { next: start + 2 < names.length ? (page.at(-1) ?? null) : null });
    }),
  );
  return asked;
}

it('reads the newest 500, and what is before them when asked', async () => {
  const asked = serve(['e', 'd', 'c', 'b', 'a']);
  const { user } = renderScreen(<Names />);
  expect(screen.getByText('Loading')).toBeInTheDocument();
  expect(await screen.findByText('e, d')).toBeInTheDocument();
  expect(asked).toEqual(['']);
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('e, d, c, b')).toBeInTheDocument();
  expect(asked.at(-1)).toBe('limit=500&before=d');
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('e, d, c, b, a')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
});

it('reads nothing for null', async () => {
  const asked = serve(['a']);
  const { user } = renderScreen(<Names path={null} />);
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(screen.getByText('Loading')).toBeInTheDocument();
  expect(asked).toEqual([]);
});

it('requests every shown page again', async () => {
  const names = ['d', 'c', 'b', 'a'];
  serve(names);
  const { user } = renderScreen(<Names />);
  await screen.findByText('d, c');
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  await screen.findByText('d, c, b, a');
  names.splice(3, 1, 'z');
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('d, c, b, z')).toBeInTheDocument();
});

it('reads a list with a query again after it has failed', async () => {
  server.use(
    http.get(apiUrl(endpoints.incidents.list), () => problem(403, 'Choose an organisation')),
  );
  const { user } = renderScreen(<Names path={`${endpoints.incidents.list}?status=RESOLVED`} />);
  await screen.findByText('Choose an organisation');
  const asked = serve(['b', 'a']);
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('b, a')).toBeInTheDocument();
  expect(asked).toEqual(['status=RESOLVED&limit=500']);
});

it('is new when it is shown again after something was saved elsewhere', async () => {
  const names = ['b', 'a'];
  serve(names);
  const { user } = renderScreen(<Elsewhere />);
  await screen.findByText('b, a');
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  names.unshift('c');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(screen.getByRole('button', { name: 'Return' }));
  expect(await screen.findByText('c, b')).toBeInTheDocument();
});

function Whole() {
  const { data } = useQuery<string[]>(endpoints.incidents.list);
  return <p>{data?.join(', ') ?? 'Loading'}</p>;
}

it('is new as a whole when it is shown again soon after something was saved elsewhere', async () => {
  const names = ['b', 'a'];
  serve(names);
  const { user } = renderScreen(<Elsewhere list={<Whole />} />);
  await screen.findByText('b, a');
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  names[0] = 'c';
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(screen.getByRole('button', { name: 'Return' }));
  expect(await screen.findByText('c, a')).toBeInTheDocument();
});

it('reads a list again that is shown as a whole, and shows the earlier rows meanwhile', async () => {
  const names = ['b', 'a'];
  serve(names);
  const { user } = renderScreen(<Elsewhere list={<Whole />} />);
  await screen.findByText('b, a');
  names[0] = 'c';
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.get(apiUrl(endpoints.incidents.list), async () => {
      await finished;
      return success(names);
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(screen.getByText('b, a')).toBeInTheDocument();
  finish();
  expect(await screen.findByText('c, a')).toBeInTheDocument();
});

it('hands on the reason of a failure', async () => {
  server.use(
    http.get(apiUrl(endpoints.incidents.list), () => problem(403, 'Choose an organisation')),
  );
  renderScreen(<Names />);
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
});
