import { object } from 'yup';
import { nameRule } from '@/api/name';
import { oneStatusOf } from '@/api/rules';
import { limits, text } from '@/api/text';
import type { ComponentGroup, GroupDisplay } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';

export const groupKind: ItemKind<ComponentGroup> = {
  noun: 'group',
  plural: 'groups',
  endpoints: endpoints.componentGroups,
  nameOf: (group) => group.name,
  listFailed: 'Error while fetching groups',
  deletion: {
    one: (name) =>
      `“${name}” is deleted. Its components stay, without a group, and its subscribers keep them.`,
    selected:
      'What is selected is deleted. The components stay, without a group, and the subscribers keep them.',
    done: 'Group deleted',
    failed: 'The group was not deleted',
  },
};

/** Whether the status page shows a group's components, until a visitor opens or closes it. */
export const displays: Record<GroupDisplay, string> = {
  OPEN: 'Open',
  CLOSED: 'Closed',
  OPEN_WHEN_AFFECTED: 'Open while a component is affected',
};

export type GroupValues = Pick<ComponentGroup, 'name' | 'description' | 'display'>;

export interface NewGroupValues extends GroupValues {
  /** The components that move into the group. */
  components: readonly string[];
}

export const newGroup: NewGroupValues = {
  name: '',
  description: '',
  display: 'OPEN',
  components: [],
};

export const groupSchema = object({
  name: nameRule(),
  description: text(limits.text),
  display: oneStatusOf(displays),
});

export function groupValues({ name, description, display }: ComponentGroup): GroupValues {
  return { name, description, display };
}
