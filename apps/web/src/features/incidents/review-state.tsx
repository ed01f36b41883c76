import { useFormikContext } from 'formik';
import { FilePlus2 } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { Review } from '@/api/types';
import { useAuth } from '@/auth/auth';
import { paths } from '@/paths';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Timestamp } from '@/ui/timestamp';
import type { Incident } from './incident';
import { reviewTemplate, type ReviewValues } from './review';

interface ReviewStateProps {
  incident: Incident;
  review: Review | null;
}

/** Shows whether the review is public, or offers a template for a new one. */
export function ReviewState({ incident, review }: ReviewStateProps) {
  const { state } = useAuth();
  if (review === null) return <NewReview />;
  const organisation = state.status === 'signed-in' ? state.organisation : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      <Badge tone={review.publishedAt ? 'operational' : 'neutral'}>
        {review.publishedAt ? 'Published' : 'Draft'}
      </Badge>
      {review.publishedAt ? (
        <span>
          Published at <Timestamp value={review.publishedAt} />
        </span>
      ) : (
        <span>Only operators see it.</span>
      )}
      {review.publishedAt && organisation && (
        <a
          href={paths.publicIncident(organisation.id, incident.code)}
          className="font-medium text-accent underline underline-offset-2"
        >
          Public page of the incident
        </a>
      )}
    </div>
  );
}

function NewReview() {
  const { values, setFieldValue } = useFormikContext<ReviewValues>();

  /** Fills the text. The button is gone then, so the focus goes below the first heading. */
  async function start({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    const { form } = currentTarget;
    await setFieldValue('body', reviewTemplate);
    const text = form?.querySelector('textarea');
    const below = reviewTemplate.indexOf('\n') + 1;
    text?.setSelectionRange(below, below);
    // In the preview there is no field: its first button leads back to it.
    (text ?? form?.querySelector('button'))?.focus();
  }

  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="max-w-prose text-sm text-muted">
        This incident has no review yet. A review says what happened, why, and what you do about it.
        It stays a draft until you publish it.
      </p>
      {values.body === '' && (
        <Button onClick={(event) => void start(event)}>
          <FilePlus2 aria-hidden /> Start from a Template
        </Button>
      )}
    </div>
  );
}
