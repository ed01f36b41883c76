import { object } from 'yup';
import { oneStatusOf } from '@/api/rules';
import { limits, text } from '@/api/text';
import { incidentStatuses } from '@/ui/statuses';
import type { UpdateInput } from './timeline';

export const updateSchema = object({
  status: oneStatusOf(incidentStatuses),
  message: text(limits.text).required('Message is required'),
});

export const newUpdate: UpdateInput = { status: 'INVESTIGATING', message: '' };
