import { conflictReason } from '@/api/server-message';

/** Content of a toast: the failure and, after a conflict, its reason. For actions without a form. */
export function FailureMessage({ text, error }: { text: string; error: unknown }) {
  const reason = conflictReason(error);
  return (
    <>
      <p>{text}</p>
      {reason !== undefined && <p className="text-sm text-muted">{reason}</p>}
    </>
  );
}
