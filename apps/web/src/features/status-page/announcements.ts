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
  /** Everything else about it that the page shows. */
  content: string;
  timeline: readonly TimelineEntry[];
}

/** Returns what changed on the page between two states. */
export function announcementsBetween(before: PageState, after: PageState): Announcement[] {
  const old = itemsOf(before);
  const current = itemsOf(after);
  const announcements = current.flatMap((item) => {
    const known = old.find(({ id }) => id === item.id);
    return known
      ? changesOf(known, item)
      : [announce(item, `New ${item.kind}: ${item.name}, ${item.status}`)];
  });
  for (const item of old) {
    if (!current.some(({ id }) => id === item.id))
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
  const entries = timeline.filter((entry) => {
    const known = before.timeline.find(({ id }) => id === entry.id);
    return known?.status !== entry.status || known.message !== entry.message;
  });
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
  return before.content === after.content
    ? updates
    : [...updates, announce(after, `${name} has been changed`)];
}

function announce({ id, kind }: Item, text: string): Announcement {
  return { about: id, kind, text };
}

function itemsOf({ components, incidents, maintenances }: PageState): Item[] {
  return [
    ...components.map((component) => {
      const labels = stylesOf(component).map(({ label }) => label);
      return itemOf('component', component.name, component, labels.join(', '), []);
    }),
    ...incidents.map((incident) => {
      const { title, status, IncidentTimeline: timeline } = incident;
      const affected = incident.components.map((link) => [link.componentId, link.status]);
      const { label } = incidentStyles[status];
      return itemOf('incident', title, incident, label, timeline, affected);
    }),
    ...maintenances.map((maintenance) => {
      const { title, status, startAt, endAt, timeline } = maintenance;
      const affected = maintenance.components.map(({ componentId }) => componentId);
      const { label } = maintenanceStyles[status];
      return itemOf('maintenance', title, maintenance, label, timeline, [startAt, endAt, affected]);
    }),
  ];
}

/** `others` is what else of it the page shows. */
function itemOf(
  kind: Item['kind'],
  name: string,
  { id, description }: { id: string; description: string },
  status: string,
  timeline: Item['timeline'],
  others?: unknown,
): Item {
  return { id, kind, name, status, content: JSON.stringify([name, description, others]), timeline };
}
