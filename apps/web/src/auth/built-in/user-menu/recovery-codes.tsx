import { Check, Copy, Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { selectText } from '@/ui/copy-text';
import { saveFile } from '@/ui/save-file';
import { useCopy } from '@/ui/use-copy';
import { useSecretGuard } from '@/ui/use-secret-guard';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** Whether the account had codes before, which work no longer. */
  areReplaced: boolean;
  email: string;
  onDone: () => void;
}

/** Shows new recovery codes. They cannot be shown again. */
export function RecoveryCodesPanel({ codes, areReplaced, email, onDone }: RecoveryCodesProps) {
  const list = useRef<HTMLOListElement>(null);
  const [isKept, setIsKept] = useState(false);
  useSecretGuard(isKept);
  const text = codes.join('\n') + '\n';
  const { isCopied, copy } = useCopy(text);

  async function press() {
    if (await copy()) setIsKept(true);
    else if (list.current) selectText(list.current);
  }

  function download() {
    const content = `Recovery codes of ${email} for Allclear. Each works once.\n\n${text}`;
    saveFile('allclear-recovery-codes.txt', new Blob([content], { type: 'text/plain' }));
    setIsKept(true);
  }

  return (
    <div className="grid gap-4">
      <Alert kind="success">
        Keep these recovery codes. They are not shown again.
        {areReplaced && ' The codes that you had before no longer work.'}
      </Alert>
      <p className="text-muted">
        If you lose your second factor, each code lets you sign in once with your password. Keep
        them where you keep your passwords, or on paper.
      </p>
      <ol
        ref={list}
        aria-label="Recovery codes"
        onCopy={() => setIsKept(true)}
        className="grid gap-1 rounded-md bg-surface p-3 font-mono text-sm break-all text-ink"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      {isCopied === false && (
        <Alert kind="error">
          The browser does not allow the copy. The codes are selected: press Ctrl+C or ⌘C.
        </Alert>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => void press()}>
          {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {isCopied ? 'Copied' : 'Copy'}
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
