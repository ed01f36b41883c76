import { object } from 'yup';
import { nameRule } from '@/api/name';
import { oneStatusOf } from '@/api/rules';
import { limits, text } from '@/api/text';
import type { Component, ComponentInput } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import { componentsFailed } from '@/shared-features/affected/affected';
import { componentStatuses } from '@/ui/statuses';

export const componentKind: ItemKind<Component> = {
  noun: 'component',
  plural: 'components',
  endpoints: endpoints.components,
  nameOf: (component) => component.name,
  listFailed: componentsFailed,
  deletion: {
    one: (name) =>
      `“${name}” and its history are deleted, also on the status page. Subscribers who chose only this component receive nothing afterwards.`,
    selected:
      'What is selected and its history are deleted, also on the status page. Subscribers who chose nothing else receive nothing afterwards.',
    done: 'Component Deleted',
    failed: 'error',
  },
};

/** The values of a component's form. */
export interface ComponentValues extends Pick<ComponentInput, 'name' | 'status' | 'description'> {
  /** '' for no group. */
  groupId: string;
  showUptime: boolean;
  /** "2026-11-20"; '' for none. */
  startDate: string;
  onlyShowWhenAffected: boolean;
}

export const componentSchema = object({
  name: nameRule(),
  status: oneStatusOf(componentStatuses),
  description: text(limits.text),
});

export const newComponent: ComponentValues = {
  name: '',
  status: 'OPERATIONAL',
  description: '',
  groupId: '',
  showUptime: true,
  startDate: '',
  onlyShowWhenAffected: false,
};

export function componentValues(component: Component): ComponentValues {
  const { name, status, description, groupId, showUptime, startDate, onlyShowWhenAffected } =
    component;
  return {
    name,
    status,
    description,
    groupId: groupId ?? '',
    showUptime,
    startDate: startDate ?? '',
    onlyShowWhenAffected,
  };
}

/** What is sent: the group and the page's options only if they differ from `before`. */
export function componentInput(values: ComponentValues, before: ComponentValues): ComponentInput {
  const { name, status, description, groupId, showUptime, startDate, onlyShowWhenAffected } =
    values;
  return {
    name,
    status,
    description,
    ...(groupId !== before.groupId && { groupId: groupId || null }),
    ...(showUptime !== before.showUptime && { showUptime }),
    ...(startDate !== before.startDate && { startDate: startDate || null }),
    ...(onlyShowWhenAffected !== before.onlyShowWhenAffected && { onlyShowWhenAffected }),
  };
}
