import { useState } from 'react';
import { CopyField } from './copy-field';
import { useSecretGuard } from './use-secret-guard';

/** A secret that is shown only once. The user is asked before it is left without a copy. */
export function SecretField({ label, value }: { label: string; value: string }) {
  const [isCopied, setCopied] = useState(false);
  useSecretGuard(isCopied);
  return <CopyField label={label} value={value} onCopy={() => setCopied(true)} />;
}
