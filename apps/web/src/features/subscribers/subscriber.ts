import type { ScopeKind, Subscriber } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';

export const subscriberKind: ItemKind<Subscriber> = {
  noun: 'subscriber',
  plural: 'subscribers',
  endpoints: endpoints.subscribers,
  nameOf: (subscriber) => subscriber.target,
  listFailed: 'Error while fetching subscribers',
  deletion: {
    one: (target) => `No more updates will be sent to ${target}.`,
    selected: 'No more updates will be sent to the selected subscribers.',
    failed: 'error',
  },
};

export const scopeNames: Record<ScopeKind, string> = {
  ALL: 'Everything',
  COMPONENTS: 'Chosen components',
  INCIDENT: 'One incident',
};

/** What a subscriber receives, in a few words. */
export function scopeText({ scope, components, groups, muteMaintenances }: Subscriber): string {
  const chosen = [
    counted(components?.length, 'component'),
    counted(groups?.length, 'group'),
  ].filter(Boolean);
  const text = scope === 'COMPONENTS' ? chosen.join(', ') || 'Nothing' : scopeNames[scope];
  return muteMaintenances && scope !== 'INCIDENT' ? `${text}, no maintenances` : text;
}

function counted(count: number | undefined, noun: string): string {
  if (!count) return '';
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
