import { useFormikContext } from 'formik';
import { cn } from '@/ui/cn';
import { SubmitButton } from '@/ui/submit-button';

/** The end of the form. It stays in view while there is something to save. */
export function SaveBar() {
  const { dirty } = useFormikContext();
  return (
    <div
      data-bottom-bar={dirty || undefined}
      className={cn(
        // The button stands where no toast covers it.
        'flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3',
        dirty && 'sticky bottom-0 z-10 shadow-high',
      )}
    >
      <SubmitButton label="Save" pendingLabel="Saving..." />
      {dirty && <p className="text-sm text-muted">There are unsaved changes.</p>}
    </div>
  );
}
