import { array, boolean, mixed, object, string } from 'yup';
import type { StatusSnapshot, Subscriber, SubscriberChangeInput } from '@/api/types';
import { orderOf } from '@/page-rules/order';

/** The fields of what a subscriber receives. */
export interface ScopeValues {
  choice: 'everything' | 'chosen';
  components: string[];
  /** A chosen group contains its components, also future ones. */
  groups: string[];
  muteMaintenances: boolean;
}

export const everything: ScopeValues = {
  choice: 'everything',
  components: [],
  groups: [],
  muteMaintenances: false,
};

interface Named {
  id: string;
  name: string;
}

/** A group with its components, or the components without a group. */
export interface ScopeEntry {
  group: Named | null;
  components: Named[];
}

/** What can be chosen, in the order of the page. */
export function scopeEntries(
  snapshot: Pick<StatusSnapshot, 'groups' | 'components'>,
  order = orderOf(snapshot),
): ScopeEntry[] {
  const groups = new Map(snapshot.groups.map((group) => [group.id, group]));
  const components = new Map(snapshot.components.map((component) => [component.id, component]));
  return order
    .map(({ id, components: ids }) => ({
      group: id === null ? null : (groups.get(id) ?? null),
      components: ids.flatMap((component) => components.get(component) ?? []),
    }))
    .filter((entry) => entry.group !== null || entry.components.length > 0);
}

function schemaUpTo(max: number) {
  const ids = array(string().required())
    .required()
    .test('max', `Choose at most ${max}`, (ids, { parent }) => {
      const { choice } = parent as ScopeValues;
      return choice === 'everything' || ids.length <= max;
    });
  return object({
    choice: mixed<ScopeValues['choice']>().oneOf(['everything', 'chosen']).required(),
    components: ids.test('chosen', 'Choose at least one', (components, { parent }) => {
      const { choice, groups } = parent as ScopeValues;
      return choice === 'everything' || components.length + groups.length > 0;
    }),
    groups: ids,
    muteMaintenances: boolean().required(),
  });
}

export const newScopeSchema = schemaUpTo(200);

/**
 * A choice that is stored may be longer than a new one: a deleted group leaves its components
 * in it.
 */
export const scopeSchema = schemaUpTo(Infinity);

/** The values of a subscriber, without what is deleted. */
export function scopeValues(
  { scope, components, groups, muteMaintenances }: Subscriber,
  entries: readonly ScopeEntry[],
): ScopeValues {
  return withoutDeleted(
    {
      choice: scope === 'COMPONENTS' ? 'chosen' : 'everything',
      components: components ?? [],
      groups: groups ?? [],
      muteMaintenances,
    },
    entries,
  );
}

/** Values without components and groups that are deleted: nobody can unselect those. */
export function withoutDeleted<Values extends ScopeValues>(
  values: Values,
  entries: readonly ScopeEntry[],
): Values {
  const known = new Set(
    entries.flatMap((entry) => [entry.group?.id, ...entry.components.map(({ id }) => id)]),
  );
  return {
    ...values,
    components: values.components.filter((id) => known.has(id)),
    groups: values.groups.filter((id) => known.has(id)),
  };
}

/** The body of a request that changes what a subscriber receives. */
export function scopeInput({
  choice,
  components,
  groups,
  muteMaintenances,
}: ScopeValues): Required<SubscriberChangeInput> {
  if (choice === 'everything') return { components: null, groups: null, muteMaintenances };
  return {
    // The server refuses an empty list. Null in both would be everything.
    components: components.length > 0 || groups.length === 0 ? components : null,
    groups: groups.length > 0 ? groups : null,
    muteMaintenances,
  };
}
