import { useFormikContext } from 'formik';
import { Button } from './button';
import { LeaveGuard } from './leave-guard';

interface FormActionsProps {
  submitLabel: string;
  pendingLabel: string;
  onCancel: () => void;
}

/** Ends a screen's form: Cancel, submit, and the question before what was typed is left behind. */
export function FormActions({ submitLabel, pendingLabel, onCancel }: FormActionsProps) {
  const { dirty, isSubmitting } = useFormikContext();
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button disabled={isSubmitting} onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant="primary" pending={isSubmitting}>
        {isSubmitting ? pendingLabel : submitLabel}
      </Button>
      <LeaveGuard when={dirty && !isSubmitting} />
    </div>
  );
}
