import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import type { StatusSnapshot } from '@/api/types';
import { FakeEventSource } from './fake-event-source';
import { aComponent, aGroup, aSnapshot } from './fixtures';
import { StatusPage } from './status-page';

beforeEach(() => {
  FakeEventSource.install();
  localStorage.clear();
});

const europe = aGroup({ id: 'g1', code: 'europegroup1', position: 2 });
const snapshot: Partial<StatusSnapshot> = {
  groups: [europe],
  components: [
    aComponent({ id: 'c1', name: 'Website', position: 1 }),
    aComponent({ id: 'c2', name: 'Zurich', groupId: 'g1' }),
    aComponent({ id: 'c3', name: 'Paris', groupId: 'g1', position: 2 }),
  ],
};
const show = (change: Partial<StatusSnapshot> = {}) =>
  render(<StatusPage orgId="org-1" snapshot={aSnapshot({ ...snapshot, ...change })} />);
const send = (...event: Parameters<FakeEventSource['send']>) =>
  act(() => FakeEventSource.last.send(...event));
const names = () =>
  within(screen.getByRole('region', { name: 'Components' }))
    .getAllByRole('heading')
    .slice(1)
    .map((heading) => `${heading.tagName} ${heading.textContent}`);
const group = () => screen.getByText('Europe').closest('details');

it('shows groups and components in the order of the page', () => {
  show();
  expect(names()).toEqual(['H3 Website', 'H3 Europe', 'H4 Zurich', 'H4 Paris']);
});

it('gives a group the worst status of its components', () => {
  show();
  expect(group()?.querySelector('summary')).toHaveTextContent('EuropeOperational');
  send('component-update', [
    aComponent({ id: 'c3', name: 'Paris', groupId: 'g1', status: 'MAJOR_OUTAGE' }),
  ]);
  expect(group()?.querySelector('summary')).toHaveTextContent('EuropeMajor Outage');
});

it('shows the uptime of all its components, also of those that are not shown', () => {
  const [, zurich, paris] = snapshot.components ?? [];
  const day = { date: '2026-11-20', partial: 0, degraded: 0 };
  const hidden = (major: number) =>
    aComponent({
      ...paris,
      onlyShowWhenAffected: true,
      uptime: { percentage: 99.9, days: [{ ...day, major }] },
    });
  show({ components: [aComponent(zurich), hidden(7776)] });
  expect(names()).toEqual(['H3 Europe', 'H4 Zurich']);
  expect(group()?.querySelector('summary')).toHaveTextContent('Europe99.9 % uptimeOperational');
  expect(screen.getByText(/^Uptime of the last 90 days/)).toBeInTheDocument();
  send('component-update', [hidden(15_552)]);
  expect(group()?.querySelector('summary')).toHaveTextContent('Europe99.8 % uptimeOperational');
});

it('is open by its mode until the visitor chooses, whose choice is kept', async () => {
  const mode = { ...europe, display: 'OPEN_WHEN_AFFECTED' as const };
  const { unmount } = show({ groups: [mode] });
  expect(group()).not.toHaveAttribute('open');
  const down = aComponent({ id: 'c2', name: 'Zurich', groupId: 'g1', status: 'DEGRADED' });
  send('component-update', [down]);
  expect(group()).toHaveAttribute('open');
  await userEvent.click(screen.getByText('Europe'));
  await waitFor(() =>
    expect(JSON.parse(localStorage.getItem('allclear:groups') ?? '{}')).toEqual({
      europegroup1: false,
    }),
  );
  expect(group()).not.toHaveAttribute('open');
  unmount();
  show({ groups: [{ ...mode, display: 'OPEN' }] });
  expect(group()).not.toHaveAttribute('open');
});

it('follows new groups, their order, and their end', () => {
  show();
  send('new-component-group', [aGroup({ id: 'g2', name: 'Asia' })]);
  expect(names()).toHaveLength(4);
  send('component-order-updated', [
    {
      groups: [
        { id: 'g2', components: ['c3'] },
        { id: 'g1', components: ['c2'] },
        { id: null, components: ['c1'] },
      ],
    },
  ]);
  expect(names()).toEqual(['H3 Asia', 'H4 Paris', 'H3 Europe', 'H4 Zurich', 'H3 Website']);
  send('component-group-update', [{ ...europe, name: 'Switzerland' }]);
  expect(names()).toContain('H3 Switzerland');
  send('component-group-deleted', ['g1']);
  send('component-order-updated', [
    {
      groups: [
        { id: 'g2', components: ['c3'] },
        { id: null, components: ['c2', 'c1'] },
      ],
    },
  ]);
  expect(names()).toEqual(['H3 Asia', 'H4 Paris', 'H3 Zurich', 'H3 Website']);
});

it('hides a group whose components are hidden while they are operational', () => {
  const hidden = (snapshot.components ?? []).map((it) => ({ ...it, onlyShowWhenAffected: true }));
  show({ components: hidden });
  expect(screen.queryByText('Europe')).not.toBeInTheDocument();
  const zurich = aComponent({ id: 'c2', name: 'Zurich', groupId: 'g1', status: 'DEGRADED' });
  send('component-update', [{ ...zurich, onlyShowWhenAffected: true }]);
  expect(names()).toEqual(['H3 Europe', 'H4 Zurich']);
});

it('shows a new title of the page', () => {
  show();
  const { organisation } = aSnapshot();
  send('organisation-updated', [{ ...organisation, pageTitle: 'Acme Cloud' }]);
  expect(screen.getByRole('heading', { level: 1, name: 'Acme Cloud' })).toBeInTheDocument();
});
