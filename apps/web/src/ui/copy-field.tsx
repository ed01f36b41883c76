import { useRef } from 'react';
import { CopyButton } from './copy-button';
import { Field } from './field';
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
          <CopyButton
            label={label}
            value={value}
            onCopy={onCopy}
            // The text can still be copied by hand.
            onForbidden={() => input.current?.focus()}
          />
        </div>
      )}
    </Field>
  );
}
