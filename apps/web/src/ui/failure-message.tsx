import { refusalReason } from '@/api/server-message';

/** Content of a toast: the failure and the reason of a refusal, if there is one. For actions without a form. */
export function FailureMessage({ text, error }: { text: string; error: unknown }) {
  const reason = refusalReason(error);
  return (
    <>
      <p>{text}</p>
      {reason !== undefined && <p className="text-sm text-muted">{reason}</p>}
    </>
  );
}
