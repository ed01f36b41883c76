import { SecretField } from '@/ui/secret-field';

/** The secret of a webhook, which is not shown again. */
export function SecretNote({ secret }: { secret: string }) {
  return (
    <div className="grid gap-2 text-left">
      <SecretField label="Signing secret" value={secret} />
      <p className="text-sm text-muted">
        It is shown once: copy it now. With it, your program checks the signature of each request
        (Standard Webhooks).
      </p>
    </div>
  );
}
