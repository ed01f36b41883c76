import { expect, it, vi } from 'vitest';
import type { StatusSnapshot } from '@/api/types';
import { aComponent, aMaintenance, anIncident, anIncidentEntry, aSnapshot } from './fixtures';
import { announcementsBetween } from './announcements';

const said = (before: Partial<StatusSnapshot>, after: Partial<StatusSnapshot>) =>
  announcementsBetween(aSnapshot(before), aSnapshot(after)).map(({ text }) => text);

it('announces the changed component, its status and the new headline', () => {
  const other = aComponent({ id: 'c2', name: 'API' });
  expect(
    announcementsBetween(
      aSnapshot({ components: [aComponent(), other] }),
      aSnapshot({ components: [aComponent({ status: 'PARTIAL_OUTAGE' }), other] }),
    ),
  ).toEqual([
    { about: 'component-1', kind: 'component', text: 'Website: Partial Outage' },
    { about: 'headline', text: 'Some systems are experiencing issues' },
  ]);
});

it('leaves the headline out while it stays the same', () => {
  const broken = aComponent({ id: 'c2', status: 'DEGRADED' });
  expect(
    said(
      { components: [aComponent(), broken] },
      { components: [aComponent({ status: 'MAJOR_OUTAGE' }), broken] },
    ),
  ).toEqual(['Website: Major Outage']);
});

it('announces new, removed and edited items', () => {
  expect(said({}, { incidents: [anIncident()] })).toEqual([
    'New incident: Payments fail, Investigating',
  ]);
  expect(said({}, { maintenances: [aMaintenance()] })).toEqual([
    'New maintenance: Database upgrade, Scheduled',
  ]);
  expect(said({ incidents: [anIncident()] }, {})).toEqual(['Payments fail has been removed']);
  expect(
    said({ components: [aComponent()] }, { components: [aComponent({ description: 'The shop' })] }),
  ).toEqual(['Website has been changed']);
});

it('announces a maintenance that begins by itself', () => {
  expect(
    said(
      { maintenances: [aMaintenance()] },
      { maintenances: [aMaintenance({ status: 'IN_PROGRESS' })] },
    ),
  ).toEqual(['Database upgrade: In Progress']);
});

it('announces that a component is under maintenance', () => {
  const [before, during] = [aComponent(), aComponent({ underMaintenance: true })];
  expect(said({ components: [before] }, { components: [during] })).toEqual([
    'Website: Under Maintenance',
  ]);
  const broken = aComponent({ underMaintenance: true, status: 'MAJOR_OUTAGE' });
  expect(said({ components: [during] }, { components: [broken] })[0]).toBe(
    'Website: Major Outage, Under Maintenance',
  );
});

it('announces an update once, although the incident takes its status in a second event', () => {
  const entry = anIncidentEntry();
  const before = { incidents: [anIncident()] };
  const recorded = { incidents: [anIncident({ IncidentTimeline: [entry] })] };
  const applied = { incidents: [anIncident({ IncidentTimeline: [entry], status: entry.status })] };
  expect(announcementsBetween(aSnapshot(before), aSnapshot(recorded))).toEqual([
    { about: 'entry-1', text: 'Update on Payments fail: Identified. A provider is down.' },
  ]);
  expect(said(recorded, applied)).toEqual([]);
});

it('announces an edited and a deleted update', () => {
  const recorded = { incidents: [anIncident({ IncidentTimeline: [anIncidentEntry()] })] };
  const edited = anIncidentEntry({ message: 'Our provider is down.' });
  expect(said(recorded, { incidents: [anIncident({ IncidentTimeline: [edited] })] })).toEqual([
    'Update on Payments fail: Identified. Our provider is down.',
  ]);
  expect(said(recorded, { incidents: [anIncident()] })).toEqual([
    'An update on Payments fail has been removed',
  ]);
});

it('says nothing where nothing changed that a person would see', () => {
  const everything = {
    components: [aComponent()],
    incidents: [anIncident({ IncidentTimeline: [anIncidentEntry()] })],
    maintenances: [aMaintenance()],
  };
  expect(said(everything, { ...structuredClone(everything), revision: 8 })).toEqual([]);
});

it('compares no item that is the same object in both states', () => {
  const others = Array.from({ length: 50 }, (_, index) => aComponent({ id: `other-${index}` }));
  const incidents = [anIncident()];
  const stringify = vi.spyOn(JSON, 'stringify');
  expect(
    said(
      { components: [aComponent(), ...others], incidents },
      { components: [aComponent({ description: 'The shop' }), ...others], incidents },
    ),
  ).toEqual(['Website has been changed']);
  expect(stringify).toHaveBeenCalledTimes(2);
});
