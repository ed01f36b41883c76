import { Formik, type FormikHelpers } from 'formik';
import { useEffect, useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { Review } from '@/api/types';
import { usePolling } from '@/api/use-polling';
import { useKeptPermission } from '@/auth/permissions';
import { MergeRemoteVersion } from '@/items/live-update';
import { useEdit, type Edit } from '@/items/use-edit';
import { endpoints } from '@/paths';
import { useItemChanges } from '@/realtime/realtime';
import { Prose } from '@/site/prose';
import { Form } from '@/ui/form';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { FormSkeleton } from '@/ui/form-skeleton';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import type { Incident } from './incident';
import { PublishReviewDialog } from './publish-review-dialog';
import { noReview, readReview, reviewSchema, reviewValues, type ReviewValues } from './review';
import { ReviewActions } from './review-actions';
import { ReviewFields } from './review-fields';
import { ReviewState } from './review-state';

/** Writes, publishes and deletes the review of an incident. */
export function ReviewPanel({ incident }: { incident: Incident }) {
  const edit = useEdit<Review | null>(endpoints.incidents.review(incident.id).item, readReview);
  const mayWrite = useKeptPermission('write');
  const refresh = async () => {
    if (edit.loaded !== undefined) await edit.refresh();
  };
  useItemChanges('incident-updated', incident.id, () => void refresh());
  usePolling(refresh, pollMs);
  if (edit.loaded !== undefined && !mayWrite) {
    return <ReviewText incident={incident} edit={edit} review={edit.loaded} />;
  }
  if (edit.loaded !== undefined) {
    return <ReviewForm incident={incident} edit={edit} review={edit.loaded} />;
  }
  if (edit.error === undefined) return <FormSkeleton fields={['text']} />;
  return (
    <LoadFailure
      title="The review could not be loaded"
      reason={edit.error.message}
      onRetry={edit.retry}
    />
  );
}

interface ReviewProps {
  incident: Incident;
  edit: Edit<Review | null>;
  /** The version of `edit`. */
  review: Review | null;
}

/** The newest review, for users who may only read. */
function ReviewText({ incident, edit, review }: ReviewProps) {
  const { setMergePolicy } = edit;
  useEffect(() => setMergePolicy(() => 'adopt'), [setMergePolicy]);
  if (review === null) return <p className="text-muted">This incident has no review yet.</p>;
  return (
    <div className="grid min-w-0 gap-4">
      <ReviewState incident={incident} review={review} />
      <Prose html={review.html} className="overflow-x-auto" />
    </div>
  );
}

function ReviewForm({ incident, edit, review }: ReviewProps) {
  const api = useApi();
  const calls = endpoints.incidents.review(incident.id);
  const [publishing, setPublishing] = useState(false);

  async function save(values: ReviewValues, form: FormikHelpers<ReviewValues>) {
    try {
      const saved = await edit.write((on) => api.put<Review>(calls.item, values, on));
      form.resetForm({ values: reviewValues(saved) });
      toast.success('Review saved');
    } catch (error) {
      showFailure(form, error, 'The review was not saved');
    }
  }

  async function remove() {
    await edit.write(async (on) => {
      await api.delete(calls.item, undefined, on);
      return noReview;
    });
  }

  /** Publishes a text, which is saved before if it is not yet. */
  async function publish(values: ReviewValues, notify: boolean) {
    try {
      return await edit.write(async (on) => {
        if (review?.body === values.body) return api.post<Review>(calls.publish, { notify }, on);
        const { etag } = await api.put<Review>(calls.item, values, on);
        return api.post<Review>(calls.publish, { notify }, { ifMatch: etag });
      });
    } catch (error) {
      // The text may be saved and not published. Not awaited: the reason is shown first.
      void edit.refresh();
      throw error;
    }
  }

  return (
    <Formik
      initialValues={reviewValues(review)}
      validationSchema={reviewSchema}
      onSubmit={save}
      validateOnBlur={false}
    >
      <>
        <Form className="grid min-w-0 gap-4">
          <FormLeaveGuard />
          <ReviewState incident={incident} review={review} />
          <ReviewFields previewPath={calls.preview} />
          <MergeRemoteVersion
            edit={edit}
            loaded={review}
            noun="review"
            valuesOf={reviewValues}
            describe={({ body }) => ({
              body: { label: 'Review', value: <RemoteBody body={body} /> },
            })}
          />
          <FormFailure />
          <ReviewActions
            review={review}
            isResolved={incident.status === 'RESOLVED'}
            onPublish={() => setPublishing(true)}
            onRemove={remove}
          />
        </Form>
        {publishing && (
          <PublishReviewDialog publish={publish} onClose={() => setPublishing(false)} />
        )}
      </>
    </Formik>
  );
}

function RemoteBody({ body }: { body: string }) {
  return body === '' ? 'Deleted' : <div className="max-h-60 overflow-y-auto">{body}</div>;
}

/** Drafts are not public and make no events, so they are read from time to time. */
const pollMs = 15_000;
