import { act, screen, within } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, expect, it, vi } from 'vitest';
import type { DeliveryCounts } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { noMail } from './fixtures';
import { DeliverySummary } from './delivery-summary';

/** Serves these counts, one after the other, the last one from then on. */
function serve(...all: Partial<DeliveryCounts>[]) {
  const asked = vi.fn();
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () => {
      asked();
      return success({ ...noMail, ...(all.length > 1 ? all.shift() : all[0]) });
    }),
  );
  return asked;
}

const summary = () => screen.findByRole('region', { name: 'Messages of the last 30 days' });
const count = (within_: HTMLElement, label: string) =>
  within(within_).getByText(label).parentElement?.querySelector('dd')?.textContent;

afterEach(() => {
  vi.useRealTimers();
});

it('says how many messages were sent, wait and failed', async () => {
  serve({
    sent: 12345,
    waiting: 0,
    givenUp: 1,
    reasons: [{ reason: '550 No such user', count: 1 }],
  });
  renderScreen(<DeliverySummary />);
  const card = await summary();
  expect(count(card, 'Sent')).toBe('12,345');
  expect(count(card, 'Waiting')).toBe('0');
  expect(count(card, 'Failed')).toBe('1');
});

it('shows on request why messages failed', async () => {
  const reasons = [
    { reason: '550 No such user', count: 3 },
    { reason: '552 Mailbox full', count: 1 },
  ];
  serve({ givenUp: 6, reasons });
  const { user } = renderScreen(<DeliverySummary />);
  const card = await summary();
  const why = within(card).getByRole('group');
  expect(why).not.toHaveAttribute('open');
  await user.click(within(card).getByText('Why messages failed'));
  expect(why).toHaveAttribute('open');
  expect(
    within(why)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['3 ×550 No such user', '1 ×552 Mailbox full', '2 × for other reasons']);
});

it('shows why messages wait without a request', async () => {
  serve({ waiting: 3, retrying: [{ reason: '535 Authentication failed', count: 2 }] });
  renderScreen(<DeliverySummary />);
  const card = await summary();
  const why = within(card).getByRole('group');
  expect(why).toHaveAttribute('open');
  expect(within(why).getByText('Why messages wait')).toBeVisible();
  expect(
    within(why)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['2 ×535 Authentication failed']);
});

it('says that the counts could not be read, and reads them again on demand', async () => {
  server.use(http.get(apiUrl(endpoints.subscribers.deliveries), () => problem(403, 'No')));
  const { user } = renderScreen(<DeliverySummary />);
  expect(await screen.findByText('The messages could not be loaded')).toBeInTheDocument();
  serve({ sent: 1 });
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await summary()).toBeInTheDocument();
});

it('shows nothing if there was no message', async () => {
  const asked = serve(noMail);
  renderScreen(<DeliverySummary />);
  await expect.poll(() => asked).toHaveBeenCalled();
  expect(screen.queryByText(/^Messages of the last/)).not.toBeInTheDocument();
});

it('follows messages on their way until all are sent', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = serve({ waiting: 2 }, { waiting: 1, sent: 1 }, { sent: 2 });
  renderScreen(<DeliverySummary />);
  const card = await summary();
  for (const [waiting, sent] of [
    ['1', '1'],
    ['0', '2'],
  ]) {
    await act(() => vi.advanceTimersByTimeAsync(5000));
    await expect.poll(() => count(card, 'Waiting')).toBe(waiting);
    expect(count(card, 'Sent')).toBe(sent);
  }
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(asked).toHaveBeenCalledTimes(3);
});
