import type { IncidentStatus } from '@/api/types';
import { incidentStyles, maintenanceStyles, stylesOf } from '@/ui/status-styles';
import { headline } from './headline';
import type { PageState } from './page-state';

/** A change in words, for screen readers. */
export interface Announcement {
  /** Id of the component, incident, maintenance or update. */
  about: string;
  /** What that is; undefined for an update and for the headline. */
  kind?: Item['kind'];
  text: string;
}

/** Number of components whose changes are announced one by one if they come together. */
const componentsNamed = 20;

interface TimelineEntry {
  id: string;
  status: IncidentStatus;
  message: string;
}

interface Item {
  id: string;
  kind: 'component' | 'incident' | 'maintenance';
  name: string;
  status: string;
  /** The object of the state. One that is in both states has not changed. */
  source: object;
  /** Everything else about it that the page shows. */
  content: readonly unknown[];
  timeline: readonly TimelineEntry[];
}

/** Returns what changed on the page between two states. */
export function announcementsBetween(before: PageState, after: PageState): Announcement[] {
  const removed = new Map(itemsOf(before).map((item) => [item.id, item]));
  const announcements = itemsOf(after).flatMap((item) => {
    const known = removed.get(item.id);
    removed.delete(item.id);
    if (!known) return [announce(item, `New ${item.kind}: ${item.name}, ${item.status}`)];
    return known.source === item.source ? [] : changesOf(known, item);
  });
  for (const [, item] of removed) {
    announcements.push(announce(item, `${item.name} has been removed`));
  }
  const banner = headline(after.components);
  if (banner && banner.text !== headline(before.components)?.text) {
    announcements.push({ about: 'headline', text: banner.text });
  }
  return announcements;
}

/** Returns the texts of changes that came together. Those of many components share one text. */
export function foldComponents(changes: readonly Announcement[]): readonly { text: string }[] {
  const components = changes.filter(({ kind }) => kind === 'component');
  const { size } = new Set(components.map(({ about }) => about));
  if (size <= componentsNamed) return changes;
  const others = changes.filter(({ kind }) => kind !== 'component');
  return [...others, { text: `${size} components have changed` }];
}

function changesOf(before: Item, after: Item): Announcement[] {
  const { name, status, timeline } = after;
  const entries = timeline.filter(
    (entry) =>
      !before.timeline.some(
        ({ id, status, message }) =>
          id === entry.id && status === entry.status && message === entry.message,
      ),
  );
  const updates = entries.map(({ id, status, message }) => ({
    about: id,
    text: `Update on ${name}: ${incidentStyles[status].label}. ${message}`,
  }));
  const isStatusOfUpdate = timeline[0] && incidentStyles[timeline[0].status].label === status;
  if (before.status !== status) {
    return isStatusOfUpdate ? updates : [...updates, announce(after, `${name}: ${status}`)];
  }
  if (before.timeline.some(({ id }) => !timeline.some((entry) => entry.id === id))) {
    return [...updates, announce(after, `An update on ${name} has been removed`)];
  }
  return JSON.stringify(before.content) === JSON.stringify(after.content)
    ? updates
    : [...updates, announce(after, `${name} has been changed`)];
}

function announce({ id, kind }: Item, text: string): Announcement {
  return { about: id, kind, text };
}

function itemsOf({ components, incidents, maintenances }: PageState): Item[] {
  return [
    ...components.map((component) =>
      itemOf(
        'component',
        component.name,
        component,
        stylesOf(component)
          .map((style) => style.label)
          .join(', '),
        [],
      ),
    ),
    ...incidents.map((incident) =>
      itemOf(
        'incident',
        incident.title,
        incident,
        incidentStyles[incident.status].label,
        incident.IncidentTimeline,
        incident.components.map((link) => [link.componentId, link.status]),
      ),
    ),
    ...maintenances.map((maintenance) =>
      itemOf(
        'maintenance',
        maintenance.title,
        maintenance,
        maintenanceStyles[maintenance.status].label,
        maintenance.timeline,
        [
          maintenance.startAt,
          maintenance.endAt,
          maintenance.components.map((link) => link.componentId),
        ],
      ),
    ),
  ];
}

/** `others` is what else of it the page shows. */
function itemOf(
  kind: Item['kind'],
  name: string,
  source: { id: string; description: string },
  status: string,
  timeline: Item['timeline'],
  others?: unknown,
): Item {
  return {
    id: source.id,
    kind,
    name,
    status,
    source,
    content: [name, source.description, others],
    timeline,
  };
}
