import { Check, Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { saveFile } from '@/ui/save-file';

interface RecoveryCodesProps {
  codes: readonly string[];
  email: string;
  onDone: () => void;
}

/** Shows new recovery codes. They cannot be shown again. */
export function RecoveryCodesPanel({ codes, email, onDone }: RecoveryCodesProps) {
  const [copied, setCopied] = useState(false);
  const text = codes.join('\n') + '\n';

  async function copy() {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // Browsers may forbid the clipboard on pages without TLS.
      () => undefined,
    );
  }

  function download() {
    const content = `Recovery codes of ${email} for Allclear. Each works once.\n\n${text}`;
    saveFile('allclear-recovery-codes.txt', new Blob([content], { type: 'text/plain' }));
  }

  return (
    <div className="grid gap-4">
      <Alert kind="success">Keep these recovery codes. They are not shown again.</Alert>
      <p className="text-muted">
        If you lose your second factor, each code lets you sign in once with your password. Keep
        them where you keep your passwords, or on paper.
      </p>
      <ol
        aria-label="Recovery codes"
        className="grid gap-1 rounded-md bg-surface p-3 font-mono text-sm break-all text-ink"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button onClick={download}>
          <Download aria-hidden />
          Download
        </Button>
        <Button variant="primary" onClick={onDone}>
          I have kept them
        </Button>
      </div>
    </div>
  );
}
