import { useFormikContext } from 'formik';
import { maintenanceStatuses, statusOptions } from '@/ui/statuses';
import { ToggleGroup } from '@/ui/toggle-group';
import type { NewMaintenanceValues } from './maintenance';

const options = statusOptions(maintenanceStatuses);

export function MaintenanceStatusField() {
  const { values, touched, errors, setFieldValue } = useFormikContext<NewMaintenanceValues>();
  return (
    <ToggleGroup
      label="Status"
      description="Follows the start and the end, unless it is cancelled."
      name="status"
      options={options}
      value={values.status}
      onChange={(status) => void setFieldValue('status', status)}
      error={touched.status && errors.status}
      required
    />
  );
}
