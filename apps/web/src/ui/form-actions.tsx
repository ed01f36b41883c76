import { useFormikContext } from 'formik';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from './button';
import { useBeforeUnload } from './use-before-unload';

interface FormActionsProps {
  submitLabel: string;
  pendingLabel: string;
  /** Whether the initial values are loading. */
  loading?: boolean;
  onCancel: () => void;
}

/**
 * The end of a screen's form: Cancel, submit, and the question before typed text is lost. Cancel counts as its
 * confirmation.
 */
export function FormActions({
  submitLabel,
  pendingLabel,
  loading = false,
  onCancel,
}: FormActionsProps) {
  const { dirty, isSubmitting } = useFormikContext();
  const [isCancelled, setCancelled] = useState(false);
  useBeforeUnload(dirty && !isCancelled);

  function cancel() {
    // Before the navigation, so that the guard does not ask.
    flushSync(() => setCancelled(true));
    onCancel();
  }

  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button disabled={isSubmitting} onClick={cancel}>
        Cancel
      </Button>
      <Button type="submit" variant="primary" disabled={loading} pending={isSubmitting}>
        {isSubmitting ? pendingLabel : submitLabel}
      </Button>
    </div>
  );
}
