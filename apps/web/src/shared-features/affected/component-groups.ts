import { useCallback, useMemo } from 'react';
import type { Component, ComponentGroup } from '@/api/types';
import { useList } from '@/api/use-list';
import { useQuery } from '@/api/use-query';
import { orderOf } from '@/page-rules/order';
import { endpoints } from '@/paths';
import type { Choice } from './affected';

export function useGroups() {
  return useList<ComponentGroup>(endpoints.componentGroups.list);
}

/**
 * Returns the name of a group; undefined for none and while the groups are read. A failure to read
 * them takes its place. It is the same function until the groups change.
 */
export function useGroupName(): (id: string | null) => string | undefined {
  const { rows, error } = useGroups();
  return useCallback(
    (id) => {
      if (id !== null && rows === undefined && error) return 'Group not loaded';
      return rows?.find((group) => group.id === id)?.name;
    },
    [rows, error],
  );
}

/** Returns the name of a component's group; undefined for none and while both are read. */
export function useGroupNameOf(componentId: string): string | undefined {
  const { data: components } = useQuery<Component[]>(endpoints.components.list);
  const component = components?.find(({ id }) => id === componentId);
  return useGroupName()(component?.groupId ?? null);
}

/**
 * Reads the names of all components and groups, by id; `names` is undefined until both are read.
 */
export function useComponentNames() {
  const components = useQuery<Component[]>(endpoints.components.list);
  const groups = useQuery<ComponentGroup[]>(endpoints.componentGroups.list);
  const names = useMemo(
    () =>
      components.data &&
      groups.data &&
      new Map([...components.data, ...groups.data].map(({ id, name }) => [id, name])),
    [components.data, groups.data],
  );
  return {
    names,
    error: components.error ?? groups.error,
    retry: () => Promise.all([components.refresh(), groups.refresh()]),
  };
}

/**
 * Returns the name of a component. One that several components have gets that of its
 * group: `API (Europe)`.
 */
export function useUniqueName(): (component: Choice) => string {
  const { rows: groups } = useGroups();
  const { data: components } = useQuery<Component[]>(endpoints.components.list);
  return useMemo(() => uniqueNameAmong(groups ?? [], components ?? []), [groups, components]);
}

function uniqueNameAmong(
  groups: readonly ComponentGroup[],
  components: readonly Component[],
): (component: Choice) => string {
  const uses = new Map<string, number>();
  for (const { name } of components) uses.set(name, (uses.get(name) ?? 0) + 1);
  const groupNames = new Map<string | null, string>(groups.map(({ id, name }) => [id, name]));
  const groupOf = new Map(components.map(({ id, groupId }) => [id, groupNames.get(groupId)]));
  return ({ id, name }) => {
    const group = groupOf.get(id);
    return group !== undefined && (uses.get(name) ?? 0) > 1 ? `${name} (${group})` : name;
  };
}

/** The choices of one group, or choices without a group. */
export interface ChoiceSection {
  /** Name of the group; undefined for none. */
  group: string | undefined;
  choices: readonly Choice[];
}

/**
 * Puts choices with unique names into the groups and the order of the page, those whose place is
 * unknown last. Returns undefined without choices.
 */
export function useChoiceSections(
  choices: readonly Choice[] | undefined,
): readonly ChoiceSection[] | undefined {
  const { rows: groups } = useGroups();
  const { data: components } = useQuery<Component[]>(endpoints.components.list);
  return useMemo(
    () => choices && sectionsOf(choices, groups ?? [], components ?? []),
    [choices, groups, components],
  );
}

function sectionsOf(
  choices: readonly Choice[],
  groups: readonly ComponentGroup[],
  components: readonly Component[],
): ChoiceSection[] {
  const order = orderOf({
    groups: groups.toSorted(byPosition),
    components: components.toSorted(byPosition),
  });
  const rest = new Map(choices.map((choice) => [choice.id, choice]));
  const uniqueName = uniqueNameAmong(groups, components);
  const sections = order.map(({ id: groupId, components: ids }) => ({
    group: groups.find(({ id }) => id === groupId)?.name,
    choices: ids.flatMap((id) => {
      const choice = rest.get(id);
      rest.delete(id);
      return choice ? { ...choice, name: uniqueName(choice) } : [];
    }),
  }));
  return [...sections, { group: undefined, choices: [...rest.values()] }];
}

function byPosition(a: { position: number }, b: { position: number }): number {
  return a.position - b.position;
}
