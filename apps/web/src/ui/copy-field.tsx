import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { Field } from './field';
import { IconButton } from './icon-button';
import { Input } from './input';

interface CopyFieldProps {
  label: string;
  value: string;
  /** Called each time that the text is copied, by the button or by hand. */
  onCopy?: () => void;
}

/** A text to copy, with a button for it. */
export function CopyField({ label, value, onCopy }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === value;

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(value);
      onCopy?.();
    } catch {
      // Browsers may forbid the clipboard on pages without TLS. The text can still be
      // copied by hand.
      input.current?.focus();
    }
  }

  return (
    <Field label={label}>
      {(control) => (
        <div className="flex min-w-0 items-center gap-1">
          <Input
            {...control}
            ref={input}
            readOnly
            required={false}
            value={value}
            className="font-mono text-sm"
            onCopy={onCopy}
            onFocus={({ target }) => target.select()}
          />
          <IconButton
            label={isCopied ? `Copied: ${label}` : `Copy: ${label}`}
            icon={isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
            onClick={() => void copy()}
          />
          <span role="status" className="sr-only">
            {isCopied && 'Copied'}
          </span>
        </div>
      )}
    </Field>
  );
}
