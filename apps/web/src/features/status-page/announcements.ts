import type { IncidentStatus } from '@/api/types';
import { incidentStyles, maintenanceStyles, stylesOf } from '@/ui/status-styles';
import { headline } from './headline';
import type { PageState } from './page-state';

/** A change in words, for screen readers. */
interface Announcement {
  /** Id of the component, incident, maintenance or update. */
  about: string;
  text: string;
}

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
  const [old, current] = [itemsOf(before), itemsOf(after)];
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

function announce({ id }: Item, text: string): Announcement {
  return { about: id, text };
}

function itemsOf({ components, incidents, maintenances }: PageState): Item[] {
  return [
    ...components.map((component): Item => {
      const { id, name, description } = component;
      return {
        id,
        kind: 'component',
        name,
        status: stylesOf(component)
          .map(({ label }) => label)
          .join(', '),
        content: JSON.stringify([name, description]),
        timeline: [],
      };
    }),
    ...incidents.map(({ id, title, description, status, IncidentTimeline, components }): Item => {
      const affected = components.map((link) => [link.componentId, link.status]);
      return {
        id,
        kind: 'incident',
        name: title,
        status: incidentStyles[status].label,
        content: JSON.stringify([title, description, affected]),
        timeline: IncidentTimeline,
      };
    }),
    ...maintenances.map((maintenance): Item => {
      const { id, title, description, status, startAt, endAt, timeline } = maintenance;
      const affected = maintenance.components.map(({ componentId }) => componentId);
      return {
        id,
        kind: 'maintenance',
        name: title,
        status: maintenanceStyles[status].label,
        content: JSON.stringify([title, description, startAt, endAt, affected]),
        timeline,
      };
    }),
  ];
}
