import { describe, expect, it } from 'vitest';
import type { PublicComponent } from '@/api/types';
import type { LiveEvent } from '@/realtime/live-events';
import { aComponent, aMaintenance, anIncident, aSnapshot } from './fixtures';
import { initialLive, reduce, type Live } from './use-live';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString();
const now = at(59);

const resolved = (id: string, resolvedAt: string) =>
  anIncident({ id, title: id, status: 'RESOLVED', resolvedAt });
const completed = (id: string, endAt: string) =>
  aMaintenance({ id, title: id, status: 'COMPLETED', endAt });

const after = (live: Live, event: LiveEvent) => reduce(live, { type: 'event', event, now });
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const texts = (live: Live) =>
  reduce(live, { type: 'announce' }).announcements.map(({ text }) => text);

const componentsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => aComponent({ id: `c${index}`, name: `C${index}` }));

/** An incident that breaks all components, as the events of its commit. */
const outageOf = (components: readonly PublicComponent[]): LiveEvent[] => [
  { name: 'new-incident', args: [anIncident()] },
  ...components.map((component): LiveEvent => {
    return { name: 'component-update', args: [{ ...component, status: 'MAJOR_OUTAGE' }] };
  }),
];

it('announces up to 20 components that change together by their names', () => {
  const components = componentsOf(20);
  const live = outageOf(components).reduce(after, initialLive(aSnapshot({ components })));
  expect(live.announcements).toEqual([]);
  const [incident, first, headline, ...others] = texts(live);
  expect([incident, first, headline]).toEqual([
    'New incident: Payments fail, Investigating',
    'C0: Major Outage',
    'Some systems are experiencing issues',
  ]);
  expect(others).toEqual(components.slice(1).map(({ name }) => `${name}: Major Outage`));
});

it('announces more components that change together in one sentence, however often each changes', () => {
  const components = componentsOf(21);
  const events = [
    ...outageOf(components),
    ...components.map((component): LiveEvent => {
      return { name: 'component-update', args: [{ ...component, status: 'PARTIAL_OUTAGE' }] };
    }),
  ];
  const live = events.reduce(after, initialLive(aSnapshot({ components })));
  expect(texts(live)).toEqual([
    'New incident: Payments fail, Investigating',
    'Some systems are experiencing issues',
    '21 components have changed',
  ]);
});

it('keeps the latest 40 announcements, each with a key of its own', () => {
  let live = initialLive(aSnapshot());
  for (let number = 0; number < 50; number += 1) {
    const incident = anIncident({ id: `i${number}`, title: `Down ${number}` });
    live = reduce(after(live, { name: 'new-incident', args: [incident] }), { type: 'announce' });
  }
  expect(live.unannounced).toEqual([]);
  expect(live.announcements).toHaveLength(40);
  expect(live.announcements.at(-1)?.text).toBe('New incident: Down 49, Investigating');
  expect(new Set(live.announcements.map(({ key }) => key)).size).toBe(40);
});

describe('more than 50 past items', () => {
  const past = Array.from({ length: 50 }, (_, minute) => minute).reverse();
  const live = initialLive(
    aSnapshot({
      incidents: [
        anIncident({ id: 'open' }),
        ...past.map((minute) => resolved(`i${minute}`, at(minute))),
      ],
      maintenances: [
        aMaintenance({ id: 'ahead' }),
        ...past.map((minute) => completed(`m${minute}`, at(minute))),
      ],
    }),
  );

  it('drops the one that ended first, without a word', () => {
    const solved = resolved('open', at(59));
    const incidents = after(live, { name: 'incident-updated', args: [solved] });
    expect(ids(incidents.state.incidents)).toEqual([
      'open',
      ...past.slice(0, -1).map((minute) => `i${minute}`),
    ]);
    expect(texts(incidents)).toEqual(['open: Resolved']);
    const done = completed('ahead', at(59));
    const { maintenances } = after(live, { name: 'maintenance-updated', args: [done] }).state;
    expect(maintenances).toHaveLength(50);
    expect(ids(maintenances)).not.toContain('m0');
  });

  it('keeps every item that is not over', () => {
    const event: LiveEvent = { name: 'new-incident', args: [anIncident({ id: 'new' })] };
    expect(after(live, event).state.incidents).toHaveLength(52);
  });
});

describe('items that ended more than 14 days ago', () => {
  const shown = '2026-11-06T10:00:00.000Z';
  const old = '2026-11-06T09:58:00.000Z';
  const open = anIncident({ id: 'open', title: 'open' });
  const ahead = aMaintenance({ id: 'ahead' });
  const live = initialLive(
    aSnapshot({
      incidents: [open, resolved('past', shown)],
      maintenances: [ahead, completed('over', shown)],
    }),
  );

  it.each<LiveEvent>([
    { name: 'new-incident', args: [resolved('entered', old)] },
    { name: 'incident-updated', args: [resolved('edited', old)] },
    { name: 'new-maintenance', args: [completed('entered', old)] },
    { name: 'maintenance-updated', args: [completed('edited', old)] },
  ])('are not added or announced by $name', (event) => {
    const unchanged = after(live, event);
    expect(ids(unchanged.state.incidents)).toEqual(['open', 'past']);
    expect(ids(unchanged.state.maintenances)).toEqual(['ahead', 'over']);
    expect(texts(unchanged)).toEqual([]);
  });

  it('are added if they ended later', () => {
    const event: LiveEvent = { name: 'new-incident', args: [resolved('entered', shown)] };
    expect(texts(after(live, event))).toEqual(['New incident: entered, Resolved']);
  });

  it('leave when their end is edited', () => {
    const corrected = after(live, { name: 'incident-updated', args: [resolved('open', old)] });
    expect(ids(corrected.state.incidents)).toEqual(['past']);
    expect(texts(corrected)).toEqual(['open has been removed']);
  });

  const read = aSnapshot({ generatedAt: '2026-11-20T10:01:00.000Z' });

  it('leave when figures are read, and their titles come with the figures', () => {
    const pastTitles = [{ title: 'past', first: '2026-11-06', last: '2026-11-06', components: [] }];
    const later = reduce(live, { type: 'figures', read: { ...read, pastTitles } });
    expect(ids(later.state.incidents)).toEqual(['open']);
    expect(ids(later.state.maintenances)).toEqual(['ahead']);
    expect(later.state.pastTitles).toBe(pastTitles);
  });

  it('leave without a word when the whole state is read', () => {
    const [incidents, maintenances] = [[open], [ahead]];
    const state = { ...live.state, incidents, maintenances, generatedAt: read.generatedAt };
    const later = reduce(live, { type: 'state', state });
    expect(later.state).toMatchObject({ incidents, maintenances });
    expect(texts(later)).toEqual([]);
  });

  it('do not include a cancelled maintenance without an end', () => {
    const startAt = '2026-10-01T00:00:00.000Z';
    const cancelled = aMaintenance({ id: 'ahead', status: 'CANCELLED', startAt, endAt: null });
    const { state } = after(live, { name: 'maintenance-updated', args: [cancelled] });
    expect(ids(state.maintenances)).toEqual(['ahead', 'over']);
  });
});
