import { screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { apiUrl, server, success } from '@/testing/server';
import { useList } from './use-list';
import { useListInParts } from './use-list-in-parts';

function Names() {
  const list = useListInParts(useList<string>(endpoints.identity.waitlist));
  return (
    <>
      <p>{list.rows?.length ?? 'Loading'}</p>
      {list.hasOlder && <button onClick={list.showOlder}>Show Older</button>}
    </>
  );
}

it('shows the loaded rows in parts, and requests older ones after the last of them', async () => {
  const asked: (string | null)[] = [];
  server.use(
    http.get(apiUrl(endpoints.identity.waitlist), ({ request }) => {
      const before = new URL(request.url).searchParams.get('before');
      asked.push(before);
      return before === null
        ? success(Array<string>(60).fill('newer'), { next: 'n' })
        : success(Array<string>(10).fill('older'), { next: null });
    }),
  );
  const { user } = renderScreen(<Names />);
  expect(await screen.findByText('50')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('60')).toBeVisible();
  expect(asked).toEqual([null]);
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('70')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
});
