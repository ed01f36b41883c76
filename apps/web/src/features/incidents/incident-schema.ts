import { array, object, string } from 'yup';
import { instant, oneStatusOf } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import { componentStatuses, incidentStatuses } from '@/ui/statuses';

const details = {
  title: line(limits.name).required('Title is required'),
  description: text(limits.text).required('Description is required'),
  status: oneStatusOf(incidentStatuses),
};

const affected = array()
  .of(
    object({
      componentId: string().required('Component is required'),
      status: oneStatusOf(componentStatuses),
    }),
  )
  .required();

export const newIncidentSchema = object({
  ...details,
  occuredAt: instant('Invalid date format'),
  components: affected,
});

export const incidentSchema = object({
  ...details,
  occuredAt: instant('Please enter a valid date and time'),
});

export const attachSchema = object({
  components: affected.min(1, 'At least one component is required'),
});
