import { useFormikContext, type FormikHelpers } from 'formik';
import { object } from 'yup';
import { ApiError } from '@/api/error';
import type { Review } from '@/api/types';
import { NotifyField, useNotify, type NotifyValues } from '@/items/notify-field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import { reviewValues, type ReviewValues } from './review';

interface PublishReviewDialogProps {
  /** Throws `ApiError`. */
  publish: (values: ReviewValues, notify: boolean) => Promise<Review | null>;
  onClose: () => void;
}

const initialValues: NotifyValues = {};
const noRules = object({});

/**
 * Publishes the text of the review's form. Mounted while it is open, inside that form's context and
 * outside its element.
 */
export function PublishReviewDialog({ publish, onClose }: PublishReviewDialogProps) {
  const review = useFormikContext<ReviewValues>();
  const notify = useNotify();

  async function submit(values: NotifyValues, form: FormikHelpers<NotifyValues>) {
    try {
      const published = await publish(review.values, notify.of(values));
      review.resetForm({ values: reviewValues(published) });
    } catch (error) {
      showFailure(form, error, 'The review was not published');
      if (error instanceof ApiError && error.status === 412) {
        // The review's form shows the other version.
        review.setStatus(error);
        onClose();
      }
      return;
    }
    toast.success('Review published');
    onClose();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Publish Review"
      description="Everybody can read it on the public page of the incident."
      initialValues={initialValues}
      loading={notify.isLoading}
      validationSchema={noRules}
      onSubmit={submit}
      submitLabel="Publish"
      pendingLabel="Publishing..."
    >
      <NotifyField help="Sends the beginning of the review to the subscribers on all channels." />
    </FormDialog>
  );
}
