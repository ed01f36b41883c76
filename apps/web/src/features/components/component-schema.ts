import { object } from 'yup';
import { oneStatusOf } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import type { Component, ComponentInput } from '@/api/types';
import { componentStatuses } from '@/ui/statuses';

const nameRequired = 'Name is required';

export const componentSchema = object({
  name: line(limits.name).required(nameRequired).min(2, nameRequired),
  status: oneStatusOf(componentStatuses),
  description: text(limits.text),
});

export const newComponent: ComponentInput = { name: '', status: 'OPERATIONAL', description: '' };

/** What of a component is in its form. */
export function inputOf({ name, status, description }: Component): ComponentInput {
  return { name, status, description };
}
