import { useFormikContext } from 'formik';
import { Send, Trash2 } from 'lucide-react';
import type { Review } from '@/api/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { SubmitButton } from '@/ui/submit-button';
import { toast } from '@/ui/toast';
import { reviewValues, hasOnlyHeadings, type ReviewValues } from './review';

interface ReviewActionsProps {
  review: Review | null;
  /** Whether the incident is resolved. */
  isResolved: boolean;
  onPublish: () => void;
  /** Deletes the review; throws `ApiError`. */
  onRemove: () => Promise<void>;
}

/** Inside the form of a review: its buttons. */
export function ReviewActions({ review, isResolved, onPublish, onRemove }: ReviewActionsProps) {
  const { values, errors, dirty, isSubmitting, resetForm } = useFormikContext<ReviewValues>();
  const isPublished = review?.status === 'PUBLISHED';
  const isSaved = review !== null && !dirty;
  const notPublishable = whyNotPublishable(values.body, isResolved);

  async function remove() {
    dismissFailureToast();
    try {
      await onRemove();
    } catch (error) {
      showFailureToast('The review was not deleted', error);
      return;
    }
    resetForm({ values: reviewValues(null) });
    toast.success('Review deleted');
  }

  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {!isPublished && notPublishable && <p className="text-sm text-muted">{notPublishable}</p>}
      {review && (
        <ConfirmButton
          button={(ask) => (
            <Button disabled={isSubmitting} onClick={ask}>
              <Trash2 aria-hidden /> Delete Review
            </Button>
          )}
          title="Delete this review?"
          description={
            isPublished
              ? 'It disappears, also from the public page of the incident.'
              : 'The draft disappears.'
          }
          confirmLabel="Delete"
          onConfirm={remove}
        />
      )}
      {!isPublished && (
        <Button
          disabled={notPublishable !== null || isSubmitting || errors.body !== undefined}
          onClick={onPublish}
        >
          <Send aria-hidden /> Publish
        </Button>
      )}
      <SubmitButton
        label={isPublished ? 'Update Review' : 'Save Draft'}
        pendingLabel="Saving..."
        // Not disabled: the pressed button would lose the focus once the text is saved.
        aria-disabled={isSaved}
        className="aria-disabled:pointer-events-none"
        onClick={(event) => isSaved && event.preventDefault()}
      />
    </div>
  );
}

function whyNotPublishable(body: string, isResolved: boolean): string | null {
  if (!isResolved) return 'A review can be published once the incident is resolved.';
  return hasOnlyHeadings(body)
    ? 'A review can be published once it has text, not only headings.'
    : null;
}
