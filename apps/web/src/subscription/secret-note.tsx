import { CopyField } from '@/ui/copy-field';

/** The secret of a webhook, which is not shown again. */
export function SecretNote({ secret, onCopy }: { secret: string; onCopy?: () => void }) {
  return (
    <div className="grid gap-2 text-left">
      <CopyField label="Signing secret" value={secret} {...(onCopy && { onCopy })} />
      <p className="text-sm text-muted">
        It is shown once: copy it now. With it, your program checks the signature of each request
        (Standard Webhooks).
      </p>
    </div>
  );
}
