import { object } from 'yup';
import { oneStatusOf } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import type { Component, ComponentInput } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import { componentStatuses } from '@/ui/statuses';

export const componentKind: ItemKind<Component> = {
  noun: 'component',
  plural: 'components',
  endpoints: endpoints.components,
  nameOf: (component) => component.name,
  listFailed: 'Error while fetching components',
  deletion: {
    one: (name) => `“${name}” will be gone for good, also from the status page.`,
    selected: 'What is selected will be gone for good, also from the status page.',
    done: 'Component Deleted',
    failed: 'error',
  },
};

const nameRequired = 'Name is required';

export const componentSchema = object({
  name: line(limits.name).required(nameRequired).min(2, nameRequired),
  status: oneStatusOf(componentStatuses),
  description: text(limits.text),
});

export const newComponent: ComponentInput = { name: '', status: 'OPERATIONAL', description: '' };

/** The values of a component's form. */
export function componentValues({ name, status, description }: Component): ComponentInput {
  return { name, status, description };
}
