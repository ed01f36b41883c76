import { useFormikContext } from 'formik';
import { Button } from './button';
import { SubmitButton } from './submit-button';

interface FormActionsProps {
  submitLabel: string;
  pendingLabel: string;
  /** Whether what the form needs is being loaded. */
  loading?: boolean;
  onCancel: () => void;
}

/** The end of a screen's form: Cancel and submit. */
export function FormActions({
  submitLabel,
  pendingLabel,
  loading = false,
  onCancel,
}: FormActionsProps) {
  const { isSubmitting } = useFormikContext();
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button disabled={isSubmitting} onClick={onCancel}>
        Cancel
      </Button>
      <SubmitButton label={submitLabel} pendingLabel={pendingLabel} disabled={loading} />
    </div>
  );
}
