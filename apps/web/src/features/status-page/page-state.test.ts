import { describe, expect, it } from 'vitest';
import type { IncidentStatus, PublicComponent, PublicIncident } from '@/api/types';
import {
  aComponent,
  aGroup,
  aMaintenance,
  aMaintenanceEntry,
  anIncident,
  anIncidentEntry,
  aSnapshot,
} from './fixtures';
import { liveEventNames, type LiveEvent, type LiveEventName } from '@/realtime/live-events';
import type { PageOrder } from '@/page-rules/order';
import { applyEvent, limitPast, type PageState } from './page-state';

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe('an event', () => {
  const before = aSnapshot({
    components: [aComponent({ id: 'c2' }), aComponent({ id: 'c1' })],
    incidents: [
      anIncident({
        id: 'i2',
        components: [
          {
            componentId: 'c1',
            status: 'DEGRADED',
            component: { id: 'c1', code: '0123456789ab', name: 'Website' },
          },
        ],
        IncidentTimeline: [anIncidentEntry({ id: 'e1', incidentId: 'i2' })],
      }),
      anIncident({ id: 'i1', createdAt: '2026-11-10T00:00:00.000Z' }),
    ],
    maintenances: [
      aMaintenance({
        id: 'm2',
        components: [
          { componentId: 'c1', component: { id: 'c1', code: '0123456789ab', name: 'Website' } },
        ],
        timeline: [aMaintenanceEntry({ id: 'n1', maintenanceId: 'm2' })],
      }),
      aMaintenance({ id: 'm1' }),
    ],
  });
  const after = (event: LiveEvent) => applyEvent(before, event);

  it('adds new items at the top', () => {
    const { components } = after({ name: 'new-component', args: [aComponent({ id: 'c3' })] });
    expect(ids(components)).toEqual(['c3', 'c2', 'c1']);
    const { incidents } = after({ name: 'new-incident', args: [anIncident({ id: 'i3' })] });
    expect(ids(incidents)).toEqual(['i3', 'i2', 'i1']);
    const { maintenances } = after({ name: 'new-maintenance', args: [aMaintenance({ id: 'm3' })] });
    expect(ids(maintenances)).toEqual(['m3', 'm2', 'm1']);
  });

  it('replaces what changed where it stands', () => {
    const component = aComponent({ id: 'c1', status: 'MAJOR_OUTAGE' });
    expect(after({ name: 'component-update', args: [component] }).components[1]).toBe(component);
    const incident = anIncident({ id: 'i1', title: 'Solved' });
    expect(after({ name: 'incident-updated', args: [incident] }).incidents[1]).toEqual(incident);
    const maintenance = aMaintenance({ id: 'm1', status: 'COMPLETED' });
    expect(after({ name: 'maintenance-updated', args: [maintenance] }).maintenances[1]).toEqual(
      maintenance,
    );
  });

  it('removes what was deleted', () => {
    expect(ids(after({ name: 'component-deleted', args: ['c2'] }).components)).toEqual(['c1']);
    expect(ids(after({ name: 'incident-deleted', args: ['i2'] }).incidents)).toEqual(['i1']);
    expect(ids(after({ name: 'maintenance-deleted', args: ['m2'] }).maintenances)).toEqual(['m1']);
  });

  it('puts an entry on top of its own timeline, or in its place when it was edited', () => {
    const added = anIncidentEntry({ id: 'e2', incidentId: 'i2' });
    const { incidents } = after({ name: 'timeline-updated', args: [added] });
    expect(incidents.map(({ IncidentTimeline }) => ids(IncidentTimeline))).toEqual([
      ['e2', 'e1'],
      [],
    ]);
    const edited = aMaintenanceEntry({ id: 'n1', maintenanceId: 'm2', message: 'All done.' });
    const { maintenances } = after({ name: 'maintenance-timeline-updated', args: [edited] });
    expect(maintenances[0]?.timeline).toEqual([edited]);
  });

  it('places the entries of a timeline by display time, then by id, newest first', () => {
    const at = (minute: number) => ({ displayAt: `2026-11-20T09:0${minute}:00.000Z` });
    const entries = [
      { id: 'e2', ...at(3) },
      { id: 'e4', ...at(1) },
      { id: 'e1', ...at(3) },
      { id: 'e3', ...at(2) },
      { id: 'e2', ...at(1) },
    ];
    const empty = aSnapshot({ incidents: [anIncident()], maintenances: [aMaintenance()] });
    const events = entries.flatMap((entry): LiveEvent[] => [
      { name: 'timeline-updated', args: [anIncidentEntry(entry)] },
      { name: 'maintenance-timeline-updated', args: [aMaintenanceEntry(entry)] },
    ]);
    const { incidents, maintenances } = events.reduce(applyEvent, empty);
    expect(ids(incidents[0]?.IncidentTimeline ?? [])).toEqual(['e1', 'e3', 'e4', 'e2']);
    expect(ids(maintenances[0]?.timeline ?? [])).toEqual(['e1', 'e3', 'e4', 'e2']);
  });

  it('removes a deleted entry from its own timeline', () => {
    const { incidents } = after({ name: 'incident-timeline-deleted', args: ['i2', 'e1'] });
    expect(incidents[0]?.IncidentTimeline).toEqual([]);
    const { maintenances } = after({ name: 'maintenance-timeline-deleted', args: ['m2', 'n1'] });
    expect(maintenances[0]?.timeline).toEqual([]);
  });

  it('renames a component in what affects it, and keeps the name of a deleted one', () => {
    const renamed = after({
      name: 'component-update',
      args: [aComponent({ id: 'c1', name: 'Web' })],
    });
    expect(renamed.incidents[0]?.components[0]?.component).toMatchObject({ id: 'c1', name: 'Web' });
    expect(renamed.maintenances[0]?.components[0]?.component).toMatchObject({ name: 'Web' });
    const deleted = after({ name: 'component-deleted', args: ['c1'] });
    expect(ids(deleted.components)).not.toContain('c1');
    expect(deleted.incidents[0]?.components[0]?.componentId).toBe('c1');
  });

  it('keeps the lists that it does not change, on which the uptime bars depend', () => {
    const worse = aComponent({ id: 'c1', status: 'MAJOR_OUTAGE' });
    const state = limitPast(after({ name: 'component-update', args: [worse] }), before.generatedAt);
    expect(state.incidents).toBe(before.incidents);
    expect(state.maintenances).toBe(before.maintenances);
    const renamed = after({
      name: 'component-update',
      args: [aComponent({ id: 'c2', name: 'API' })],
    });
    expect(renamed.incidents).toBe(before.incidents);
    expect(renamed.maintenances).toBe(before.maintenances);
  });

  it('brings an incident that was over for long back in by its age', () => {
    const reopened = anIncident({ id: 'i0', createdAt: '2026-11-15T00:00:00.000Z' });
    expect(ids(after({ name: 'incident-updated', args: [reopened] }).incidents)).toEqual([
      'i2',
      'i0',
      'i1',
    ]);
  });

  it('that left out older updates leaves those that are known', () => {
    const newest = anIncidentEntry({ id: 'e9', incidentId: 'i2' });
    const truncated = anIncident({ id: 'i2', IncidentTimeline: [newest], timelineTruncated: true });
    const [incident] = after({ name: 'incident-updated', args: [truncated] }).incidents;
    expect(ids(incident?.IncidentTimeline ?? [])).toEqual(['e9', 'e1']);
    expect(incident?.timelineTruncated).toBe(false);
    // Not even the newest update fitted: an earlier event of its own contained it.
    const empty = anIncident({ id: 'i2', IncidentTimeline: [], timelineTruncated: true });
    expect(
      ids(after({ name: 'incident-updated', args: [empty] }).incidents[0]?.IncidentTimeline ?? []),
    ).toEqual(['e1']);
    const note = aMaintenanceEntry({ id: 'n9', maintenanceId: 'm2' });
    const shortened = aMaintenance({ id: 'm2', timeline: [note], timelineTruncated: true });
    const [maintenance] = after({ name: 'maintenance-updated', args: [shortened] }).maintenances;
    expect(ids(maintenance?.timeline ?? [])).toEqual(['n9', 'n1']);
  });

  it('that left out updates keeps newer ones that are known above those that it has', () => {
    const earlier = { id: 'a0', displayAt: '2026-11-20T09:00:00.000Z' };
    const older = anIncident({
      id: 'i2',
      IncidentTimeline: [anIncidentEntry(earlier)],
      timelineTruncated: true,
    });
    const [incident] = after({ name: 'incident-updated', args: [older] }).incidents;
    expect(ids(incident?.IncidentTimeline ?? [])).toEqual(['e1', 'a0']);
    const shortened = aMaintenance({
      id: 'm2',
      timeline: [aMaintenanceEntry(earlier)],
      timelineTruncated: true,
    });
    const [maintenance] = after({ name: 'maintenance-updated', args: [shortened] }).maintenances;
    expect(ids(maintenance?.timeline ?? [])).toEqual(['n1', 'a0']);
  });

  it('that left out components leaves those that are known', () => {
    const link = { componentId: 'c2', status: 'DEGRADED', component: { id: 'c2', name: 'API' } };
    const truncated = anIncident({
      id: 'i2',
      components: [link as PublicIncident['components'][number]],
      componentsTruncated: true,
    });
    const [incident] = after({ name: 'incident-updated', args: [truncated] }).incidents;
    expect(incident?.components.map(({ componentId }) => componentId)).toEqual(['c2', 'c1']);
  });

  it('about an incident that is not known keeps saying that older updates are missing', () => {
    const truncated = anIncident({ id: 'i9', timelineTruncated: true });
    const { incidents } = after({ name: 'incident-updated', args: [truncated] });
    expect(incidents.find(({ id }) => id === 'i9')?.timelineTruncated).toBe(true);
  });

  it('about what is not shown changes nothing', () => {
    const foreign: LiveEvent[] = [
      { name: 'component-deleted', args: ['x'] },
      { name: 'incident-deleted', args: ['x'] },
      { name: 'maintenance-deleted', args: ['x'] },
      { name: 'timeline-updated', args: [anIncidentEntry({ incidentId: 'x' })] },
      { name: 'maintenance-timeline-updated', args: [aMaintenanceEntry({ maintenanceId: 'x' })] },
      { name: 'incident-timeline-deleted', args: ['x', 'e1'] },
      { name: 'maintenance-timeline-deleted', args: ['m1', 'n1'] },
    ];
    for (const event of foreign) expect(after(event)).toEqual(before);
  });
});

/** Numbers that look random and are the same in every run (mulberry32). */
function dice(seed: number) {
  let state = seed;
  return (sides: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const words: readonly IncidentStatus[] = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'];

/**
 * An organisation's history as the server would send it: at each revision the whole state, and the
 * events that led to it. It is made without `applyEvent`: on plain lists, newest first.
 */
function history(seed: number, length: number) {
  const roll = dice(seed);
  const pick = <T>(items: readonly T[]) => items[roll(items.length)];
  const state = aSnapshot({ revision: 0 });
  const past: { state: PageState; events: LiveEvent[] }[] = [];
  const seen = new Set<LiveEventName>();
  let clock = 0;

  const step: Record<LiveEventName, () => LiveEvent[]> = {
    'new-component': () => {
      const component = aComponent({ ...fresh('c'), groupId: anyGroup() });
      state.components.unshift(component);
      place(component);
      return [{ name: 'new-component', args: [component] }];
    },
    'component-update': () =>
      change(state.components, (component) => {
        component.name = `Renamed ${clock}`;
        component.status = roll(2) === 0 ? 'OPERATIONAL' : 'MAJOR_OUTAGE';
        const groupId = anyGroup();
        if (groupId !== component.groupId) place(Object.assign(component, { groupId }));
        for (const { components } of state.incidents) {
          for (const link of components) {
            if (link.componentId === component.id) link.component.name = component.name;
          }
        }
        return [{ name: 'component-update', args: [component] }];
      }),
    'component-deleted': () =>
      drop(state.components, (id) => {
        unplace(id);
        return { name: 'component-deleted', args: [id] };
      }),
    'new-incident': () => {
      const affected = pick(state.components);
      const components = affected
        ? [
            {
              componentId: affected.id,
              status: affected.status,
              component: { id: affected.id, code: affected.code, name: affected.name },
            },
          ]
        : [];
      const incident = anIncident({ ...fresh('i'), components });
      state.incidents.unshift(incident);
      return [{ name: 'new-incident', args: [incident] }];
    },
    'incident-updated': () =>
      change(state.incidents, (incident) => {
        incident.title = `Edited ${clock}`;
        return [{ name: 'incident-updated', args: [incident] }];
      }),
    'incident-deleted': () =>
      drop(state.incidents, (id) => ({ name: 'incident-deleted', args: [id] })),
    'timeline-updated': () =>
      change(state.incidents, (incident) => {
        const entry =
          maybe(incident.IncidentTimeline) ??
          anIncidentEntry({ ...fresh('e'), incidentId: incident.id });
        incident.status = entry.status = pick(words) ?? 'RESOLVED';
        display(incident.IncidentTimeline, entry);
        return [
          { name: 'timeline-updated', args: [entry] },
          { name: 'incident-updated', args: [incident] },
        ];
      }),
    'incident-timeline-deleted': () =>
      change(state.incidents, (incident) =>
        drop(incident.IncidentTimeline, (id) => ({
          name: 'incident-timeline-deleted',
          args: [incident.id, id],
        })),
      ),
    'new-maintenance': () => {
      const maintenance = aMaintenance(fresh('m'));
      state.maintenances.unshift(maintenance);
      return [{ name: 'new-maintenance', args: [maintenance] }];
    },
    'maintenance-updated': () =>
      change(state.maintenances, (maintenance) => {
        maintenance.status = roll(2) === 0 ? 'IN_PROGRESS' : 'COMPLETED';
        return [{ name: 'maintenance-updated', args: [maintenance] }];
      }),
    'maintenance-deleted': () =>
      drop(state.maintenances, (id) => ({ name: 'maintenance-deleted', args: [id] })),
    'maintenance-timeline-updated': () =>
      change(state.maintenances, (maintenance) => {
        const entry =
          maybe(maintenance.timeline) ??
          aMaintenanceEntry({ ...fresh('n'), maintenanceId: maintenance.id });
        display(maintenance.timeline, entry);
        return [{ name: 'maintenance-timeline-updated', args: [entry] }];
      }),
    'maintenance-timeline-deleted': () =>
      change(state.maintenances, (maintenance) =>
        drop(maintenance.timeline, (id) => ({
          name: 'maintenance-timeline-deleted',
          args: [maintenance.id, id],
        })),
      ),
    'new-component-group': () => {
      const group = aGroup(fresh('g'));
      state.groups.unshift(group);
      state.order.unshift({ id: group.id, components: [] });
      return [{ name: 'new-component-group', args: [group] }];
    },
    'component-group-update': () =>
      change(state.groups, (group) => {
        group.name = `Renamed ${clock}`;
        return [{ name: 'component-group-update', args: [group] }];
      }),
    'component-group-deleted': () => {
      const [event] = drop(state.groups, (id) => ({ name: 'component-group-deleted', args: [id] }));
      if (event?.name !== 'component-group-deleted') return [];
      const at = state.order.findIndex(({ id }) => id === event.args[0]);
      const [gone] = state.order.splice(at, 1);
      const freed = gone?.components ?? [];
      for (const component of state.components) {
        if (freed.includes(component.id)) component.groupId = null;
      }
      const alone = state.order.find(({ id }) => id === null);
      if (alone) alone.components.unshift(...freed);
      else if (freed.length > 0) state.order.splice(at, 0, { id: null, components: freed });
      return [event, { name: 'component-order-updated', args: [{ groups: state.order }] }];
    },
    'component-order-updated': () => {
      const order: PageOrder = state.groups.map(({ id }) => ({ id, components: [] }));
      order.push({ id: null, components: [] });
      order.sort(() => roll(3) - 1);
      for (const component of state.components) {
        const entry = pick(order);
        entry?.components.push(component.id);
        component.groupId = entry?.id ?? null;
      }
      state.order = order.filter(({ id, components }) => id !== null || components.length > 0);
      return [{ name: 'component-order-updated', args: [{ groups: state.order }] }];
    },
    'organisation-updated': () => {
      state.organisation.pageTitle = `Renamed ${clock}`;
      return [{ name: 'organisation-updated', args: [state.organisation] }];
    },
  };

  function anyGroup(): string | null {
    return roll(2) === 0 ? null : (pick(state.groups)?.id ?? null);
  }
  /** Puts a component first in its group. */
  function place({ id, groupId }: PublicComponent) {
    unplace(id);
    const entry = state.order.find((it) => it.id === groupId);
    if (entry) entry.components.unshift(id);
    else state.order.unshift({ id: groupId, components: [id] });
  }
  function unplace(id: string) {
    for (const entry of state.order) entry.components = entry.components.filter((it) => it !== id);
    state.order = state.order.filter((it) => it.id !== null || it.components.length > 0);
  }

  function maybe<T>(items: readonly T[]): T | undefined {
    return roll(3) === 0 ? pick(items) : undefined;
  }
  /**
   * Puts an update, which may be in the timeline, before the first one that is displayed earlier.
   */
  function display<T extends { id: string; displayAt: string }>(timeline: T[], update: T) {
    const known = timeline.indexOf(update);
    if (known !== -1) timeline.splice(known, 1);
    update.displayAt = new Date(roll(clock) * 1000).toISOString();
    const earlier = timeline.findIndex(
      ({ id, displayAt }) =>
        displayAt < update.displayAt || (displayAt === update.displayAt && id < update.id),
    );
    timeline.splice(earlier === -1 ? timeline.length : earlier, 0, update);
  }

  function fresh(kind: string) {
    const id = kind + String(clock).padStart(4, '0');
    return { id, createdAt: new Date(clock * 1000).toISOString() };
  }
  function change<T>(items: readonly T[], edit: (item: T) => LiveEvent[]): LiveEvent[] {
    const item = pick(items);
    return item ? edit(item) : [];
  }
  function drop(items: { id: string }[], event: (id: string) => LiveEvent): LiveEvent[] {
    const [item] = items.splice(roll(items.length || 1), 1);
    return item ? [event(item.id)] : [];
  }

  past.push({ state: structuredClone(state), events: [] });
  while (past.length < length) {
    clock += 1;
    const events = step[pick(liveEventNames) ?? 'new-component']();
    if (events.length === 0) continue;
    for (const { name } of events) seen.add(name);
    state.revision += 1;
    past.push(structuredClone({ state, events }));
  }
  return { past, seen };
}

const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe('whatever happens to an organisation', () => {
  /**
   * Without the revision, which only the stream and the snapshot contain, and without the groups
   * that components name: the order says them.
   */
  const shown = (state: PageState) => {
    const { organisation, groups, components, order, incidents, maintenances } = state;
    const ungrouped = components.map((component) => ({ ...component, groupId: null }));
    return { organisation, groups, components: ungrouped, order, incidents, maintenances };
  };

  it.each(seeds)(
    'a listener from the start shows what the server has at every moment (%i)',
    (seed) => {
      const { past, seen } = history(seed, 300);
      expect([...seen].sort()).toEqual([...liveEventNames].sort());
      let state = past[0]?.state ?? aSnapshot();
      for (const moment of past) {
        state = moment.events.reduce(applyEvent, state);
        expect(shown(state)).toEqual(shown(moment.state));
      }
    },
  );

  it.each(seeds)('repeated events from before the snapshot change nothing (%i)', (seed) => {
    const { past } = history(seed, 90);
    const last = past.at(-1)?.state ?? aSnapshot();
    for (const read of [20, 50, 80]) {
      for (const from of [1, read - 15, read]) {
        const state = past[read]?.state ?? aSnapshot();
        const repeated = past.slice(from).flatMap(({ events }) => events);
        expect(shown(repeated.reduce(applyEvent, state))).toEqual(shown(last));
      }
    }
  });
});
