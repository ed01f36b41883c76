import { Check, Copy, type LucideIcon } from 'lucide-react';
import { IconButton } from './icon-button';
import { useCopy } from './use-copy';

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
  const { isCopied, copy } = useCopy(value ?? '');

  async function press() {
    if (await copy()) onCopy?.();
    else onForbidden();
  }

  return (
    <>
      <IconButton
        label={isCopied ? `Copied: ${label}` : `Copy: ${label}`}
        icon={isCopied ? <Check aria-hidden /> : <Icon aria-hidden />}
        disabled={value === undefined}
        onClick={() => value !== undefined && void press()}
      />
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
