import { fireEvent, screen } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { useQuery } from './use-query';

afterEach(() => void vi.useRealTimers());

function Names() {
  const { data, error, refresh } = useQuery<string[]>(endpoints.components.list);
  if (data === undefined && error === undefined) return <p>Loading</p>;
  return (
    <>
      <p>{error ? error.message : data?.join(', ')}</p>
      <button onClick={() => void refresh()}>Refresh</button>
    </>
  );
}

it('reads data with the person’s token, and again when asked', async () => {
  const responses = [['Website'], ['Website', 'API']];
  server.use(
    http.get(apiUrl(endpoints.components.list), ({ request }) =>
      request.headers.get('Authorization') === 'Bearer test-token'
        ? success(responses.shift())
        : problem(401, 'No token'),
    ),
  );
  const { user } = renderScreen(<Names />);
  expect(screen.getByText('Loading')).toBeInTheDocument();
  expect(await screen.findByText('Website')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Website, API')).toBeInTheDocument();
});

it('does not ask again when the window gets the focus', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
  let asked = 0;
  server.use(
    http.get(apiUrl(endpoints.components.list), () => {
      asked += 1;
      return success([`Response ${asked}`]);
    }),
  );
  renderScreen(<Names />);
  await screen.findByText('Response 1');
  // What was asked within the last seconds is never asked again.
  await vi.advanceTimersByTimeAsync(60_000);
  window.dispatchEvent(new Event('focus'));
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(60_000);
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Response 2')).toBeInTheDocument();
  expect(asked).toBe(2);
});
