import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '@/ui/icon-button';

/** A line for the shell, and a button that takes it along. */
export function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Not every browser lets a page without TLS use the clipboard; the line can still be selected.
      setCopied(false);
    }
  }

  return (
    <div className="flex h-10 items-center gap-3 rounded-md border border-line bg-surface pr-1 pl-4 pointer-coarse:h-12">
      <code className="font-mono text-ink">
        <span aria-hidden className="text-subtle select-none">
          ${' '}
        </span>
        {text}
      </code>
      <IconButton
        label={copied ? 'Copied' : 'Copy the command'}
        icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        onClick={() => void copy()}
      />
    </div>
  );
}
