import type { ScopeKind, Subscriber, SubscriberChangeInput } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import { scopeInput, type ScopeValues } from '@/shared-features/subscription/scope';
import { formatCount } from '@/ui/format';

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

/** What a subscriber receives, in a few words. `names` are those of what it has chosen. */
export function scopeText(
  { scope, components, groups, muteMaintenances }: Subscriber,
  names?: readonly string[],
): string {
  const counts = [
    components?.length && formatCount(components.length, 'component'),
    groups?.length && formatCount(groups.length, 'group'),
  ];
  const chosen = names ?? counts.filter(Boolean);
  const text = scope === 'COMPONENTS' ? chosen.join(', ') || 'Nothing' : scopeNames[scope];
  return muteMaintenances && scope !== 'INCIDENT' ? `${text}, no maintenances` : text;
}

/** Only what differs from `before` is sent. Components and groups are one choice. */
export function scopeChange(values: ScopeValues, before: ScopeValues): SubscriberChangeInput {
  const { components, groups, muteMaintenances } = scopeInput(values);
  const earlier = scopeInput(before);
  const isSameChoice =
    values.choice === before.choice &&
    JSON.stringify([components, groups]) === JSON.stringify([earlier.components, earlier.groups]);
  return {
    ...(!isSameChoice && { components, groups }),
    ...(muteMaintenances !== before.muteMaintenances && { muteMaintenances }),
  };
}
