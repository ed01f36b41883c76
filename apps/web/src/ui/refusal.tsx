import { refusalReason } from '@/api/refusal';

/** What a toast says of what failed and, where a rule refused it, why: for what has no form that could say so. */
export function Refusal({ text, error }: { text: string; error: unknown }) {
  const reason = refusalReason(error);
  return (
    <>
      <p>{text}</p>
      {reason !== undefined && <p className="text-sm text-muted">{reason}</p>}
    </>
  );
}
