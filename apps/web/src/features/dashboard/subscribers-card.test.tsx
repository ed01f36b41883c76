import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { DeliveryCounts } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { apiUrl, server, settled, success } from '@/testing/server';
import { SubscribersCard } from './subscribers-card';

const subscribers = { total: 1240, subscribed: 1200, pending: 30, failing: 4 };

/** Serves why messages wait and failed, and shows the card. */
function show(counts: Pick<DeliveryCounts, 'waiting' | 'givenUp' | 'retrying' | 'reasons'>) {
  server.use(
    http.get(apiUrl(endpoints.subscribers.deliveries), () =>
      success({ ...counts, sent: 0, days: 30 }),
    ),
  );
  const deliveries = { waiting: counts.waiting, failed: counts.givenUp };
  renderScreen(<SubscribersCard subscribers={subscribers} deliveries={deliveries} />);
}

it('warns that messages wait to be sent, with the reason and a link', async () => {
  const retrying = [{ reason: '535 Authentication failed', count: 1000 }];
  show({ waiting: 1240, givenUp: 0, retrying, reasons: [] });
  const alert = await screen.findByRole('status');
  expect(alert).toHaveTextContent('1,240 messages wait to be sent: 535 Authentication failed');
  expect(within(alert).getByRole('link', { name: 'Subscribers' })).toHaveAttribute(
    'href',
    '/subscribers',
  );
});

it('says why messages failed', async () => {
  show({ waiting: 0, givenUp: 7, retrying: [], reasons: [{ reason: '550 No user', count: 7 }] });
  const reason = 'Most frequent reason of failures: 550 No user';
  expect(await screen.findByText(reason)).toBeVisible();
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it('warns of nothing while messages are on their way', async () => {
  show({ waiting: 3, givenUp: 0, retrying: [], reasons: [] });
  await settled();
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});
