import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './icon-button';

/** How long the button says that it has copied. */
const saidMs = 2000;

interface CopyButtonProps {
  /** What is copied: "Address of the public page". */
  label: string;
  /** The text to copy; undefined while it is not known. */
  value: string | undefined;
  icon?: LucideIcon;
  /** Called each time that the text was copied. */
  onCopy?: (() => void) | undefined;
  /** Called if the browser forbids the clipboard, as on pages without TLS. */
  onForbidden: () => void;
}

/** Copies a text, and says that it has. */
export function CopyButton({
  label,
  value,
  icon: Icon = Copy,
  onCopy,
  onForbidden,
}: CopyButtonProps) {
  const [copied, setCopied] = useState<string>();
  const isCopied = value !== undefined && copied === value;

  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy(text: string) {
    // Otherwise a second press would change nothing that can be announced.
    setCopied(undefined);
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      onForbidden();
      return;
    }
    setCopied(text);
    onCopy?.();
  }

  return (
    <>
      <IconButton
        label={isCopied ? `Copied: ${label}` : `Copy: ${label}`}
        icon={isCopied ? <Check aria-hidden /> : <Icon aria-hidden />}
        disabled={value === undefined}
        onClick={() => value !== undefined && void copy(value)}
      />
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
