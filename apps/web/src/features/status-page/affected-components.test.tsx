import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import type { ComponentStatus, StatusSnapshot } from '@/api/types';
import { FakeEventSource } from './fake-event-source';
import { aComponent, aGroup, anIncident, anIncidentEntry, aSnapshot } from './fixtures';
import { StatusPage } from './status-page';

beforeEach(() => FakeEventSource.install());

const show = (change: Partial<StatusSnapshot>) =>
  render(<StatusPage orgId="org-1" snapshot={aSnapshot(change)} />);

const link = (id: string, name: string, status: ComponentStatus = 'DEGRADED') => ({
  componentId: id,
  status,
  component: { id, code: '0123456789ab', name },
});

const links = (count: number) =>
  Array.from({ length: count }, (_, number) => link(`c${number}`, `C${number}`));

const list = () => screen.getByRole('list', { name: /^Components affected by/ });
const names = () =>
  within(list())
    .getAllByRole('listitem')
    .map((it) => it.textContent);

it('stands behind the updates', () => {
  show({
    incidents: [anIncident({ components: links(1), IncidentTimeline: [anIncidentEntry()] })],
  });
  const timeline = screen.getByRole('list', { name: /^Timeline/ });
  expect(timeline.compareDocumentPosition(list())).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

it('begins with the worst impact', () => {
  const components = [link('a', 'A'), link('b', 'B', 'MAJOR_OUTAGE'), link('c', 'C')];
  show({ incidents: [anIncident({ components })] });
  expect(names()).toEqual(['BMajor Outage', 'ADegraded Performance', 'CDegraded Performance']);
});

it('adds the group to a name that several components have', () => {
  const components = [link('a', 'API'), link('b', 'API'), link('w', 'Web'), link('gone', 'API')];
  show({
    groups: [aGroup({ id: 'eu', name: 'Europe' })],
    components: [
      aComponent({ id: 'a', name: 'API', groupId: 'eu' }),
      aComponent({ id: 'b', name: 'API' }),
      aComponent({ id: 'w', name: 'Web', groupId: 'eu' }),
    ],
    incidents: [anIncident({ components })],
  });
  const shown = names().map((name) => name.replace('Degraded Performance', ''));
  expect(shown).toEqual(['API (Europe)', 'API', 'Web', 'API']);
});

it('is folded if it is long, and stays open while the incident changes', async () => {
  const incident = anIncident({ components: links(9) });
  show({ incidents: [incident, anIncident({ id: 'i2', components: [] })] });
  expect(list()).not.toBeVisible();
  await userEvent.click(screen.getByText('9 components affected'));
  expect(names()).toHaveLength(9);
  act(() =>
    FakeEventSource.last.send('incident-updated', [{ ...incident, components: links(10) }]),
  );
  expect(screen.getByText('10 components affected')).toBeVisible();
  expect(list()).toBeVisible();
  expect(names()).toHaveLength(10);
});

it('is open if it is short', () => {
  show({ incidents: [anIncident({ components: links(8) })] });
  expect(screen.queryByText(/components affected$/)).not.toBeInTheDocument();
  expect(names()).toHaveLength(8);
});
