import type { IncidentStatus } from '@/api/types';
import { componentStatuses, incidentStatuses, maintenanceStatuses } from '@/ui/statuses';
import { headline } from './headline';
import type { PageState } from './page-state';

/** What has changed, in words, and the thing on the page that it is about. */
export interface News {
  /** The id of the component, incident, maintenance or entry. */
  about: string;
  text: string;
}

interface Entry {
  id: string;
  status: IncidentStatus;
  message: string;
}

interface Thing {
  id: string;
  kind: 'component' | 'incident' | 'maintenance';
  name: string;
  status: string;
  /** Everything else about it that a person sees. */
  content: string;
  timeline: readonly Entry[];
}

/** What a person who saw the page before has to be told of it now. */
export function newsBetween(before: PageState, after: PageState): News[] {
  const [then, now] = [things(before), things(after)];
  const news = now.flatMap((thing) => {
    const known = then.find(({ id }) => id === thing.id);
    return known
      ? changes(known, thing)
      : [tell(thing, `New ${thing.kind}: ${thing.name}, ${thing.status}`)];
  });
  for (const thing of then) {
    if (!now.some(({ id }) => id === thing.id))
      news.push(tell(thing, `${thing.name} has been removed`));
  }
  const banner = headline(after.components);
  if (banner && banner.text !== headline(before.components)?.text) {
    news.push({ about: 'headline', text: banner.text });
  }
  return news;
}

function changes(before: Thing, after: Thing): News[] {
  const { name, status, timeline } = after;
  const entries = timeline.filter((entry) => {
    const known = before.timeline.find(({ id }) => id === entry.id);
    return known?.status !== entry.status || known.message !== entry.message;
  });
  const news = entries.map(({ id, status, message }) => ({
    about: id,
    text: `Update on ${name}: ${incidentStatuses[status].label}. ${message}`,
  }));
  const isTold = timeline[0] && incidentStatuses[timeline[0].status].label === status;
  if (before.status !== status) return isTold ? news : [...news, tell(after, `${name}: ${status}`)];
  if (before.timeline.some(({ id }) => !timeline.some((entry) => entry.id === id))) {
    return [...news, tell(after, `An update on ${name} has been removed`)];
  }
  return before.content === after.content
    ? news
    : [...news, tell(after, `${name} has been changed`)];
}

function tell({ id }: Thing, text: string): News {
  return { about: id, text };
}

function things({ components, incidents, maintenances }: PageState): Thing[] {
  return [
    ...components.map(({ id, name, description, status }): Thing => ({
      id,
      kind: 'component',
      name,
      status: componentStatuses[status].label,
      content: JSON.stringify([name, description]),
      timeline: [],
    })),
    ...incidents.map(({ id, title, description, status, IncidentTimeline, components }): Thing => {
      const affected = components.map((link) => [link.componentId, link.status]);
      return {
        id,
        kind: 'incident',
        name: title,
        status: incidentStatuses[status].label,
        content: JSON.stringify([title, description, affected]),
        timeline: IncidentTimeline,
      };
    }),
    ...maintenances.map(({ id, title, description, status, startAt, endAt, timeline }): Thing => ({
      id,
      kind: 'maintenance',
      name: title,
      status: maintenanceStatuses[status].label,
      content: JSON.stringify([title, description, startAt, endAt]),
      timeline,
    })),
  ];
}
