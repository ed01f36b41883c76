import { object } from 'yup';
import { instant, oneStatusOf, optionalInstant } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import { maintenanceStatuses } from '@/ui/statuses';

const details = {
  title: line(limits.name).required('Title is required'),
  description: text(limits.text).required('Description is required'),
  endAt: optionalInstant('Invalid date format').when('startAt', ([startAt]: unknown[], endAt) =>
    endAt.test(
      'order',
      'End must not be before start',
      (value) => !value || typeof startAt !== 'string' || isInOrder(startAt, value),
    ),
  ),
};

export const newMaintenanceSchema = object({
  ...details,
  startAt: instant('Invalid date format'),
  status: oneStatusOf(maintenanceStatuses),
});

export const maintenanceSchema = object({
  ...details,
  startAt: instant('Please enter a valid date and time'),
});

/** What is no time has no order: another rule says so. */
function isInOrder(start: string, end: string): boolean {
  return !(Date.parse(end) < Date.parse(start));
}
