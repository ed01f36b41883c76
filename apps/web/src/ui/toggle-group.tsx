import type { LucideIcon } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { cn } from './cn';
import { FieldError } from './field';
import { tones, type Tone } from './tone';
import { useKeepsValue } from './read-only';

interface ToggleOption<Value extends string> {
  value: Value;
  label: string;
  icon: LucideIcon;
  tone: Tone;
}

interface ToggleGroupProps<Value extends string> {
  label: string;
  name: string;
  options: readonly ToggleOption<Value>[];
  value: Value | undefined;
  onChange: (value: Value) => void;
  description?: ReactNode;
  error?: string | false | undefined;
  /**
   * What the choice leads to, below the options; announced when it changes. Null if there is
   * nothing to say.
   */
  note?: ReactNode;
  required?: boolean;
  disabled?: boolean;
}

/** A group of radio buttons, each with an icon and a colour. */
export function ToggleGroup<Value extends string>({
  label,
  name,
  options,
  value,
  onChange,
  description,
  error,
  note,
  required = false,
  disabled = false,
}: ToggleGroupProps<Value>) {
  const labelId = useId();
  const descriptionId = useId();
  const errorId = useId();
  const noteId = useId();
  const keepsValue = useKeepsValue();
  const describedBy = [error && errorId, description && descriptionId, note && noteId]
    .filter(Boolean)
    .join(' ');
  // Groups of the same name in one document would be one radio group.
  const group = `${name}-${errorId}`;
  const hasChoice = options.some((option) => option.value === value);

  return (
    <div
      role="radiogroup"
      aria-labelledby={labelId}
      aria-required={required}
      aria-readonly={keepsValue}
      aria-invalid={Boolean(error)}
      aria-describedby={describedBy || undefined}
      className="grid content-start gap-1.5"
    >
      <span id={labelId} data-required={required} className="text-sm font-medium text-ink">
        {label}
      </span>
      {description && (
        <p id={descriptionId} className="text-sm text-muted">
          {description}
        </p>
      )}
      <div className="flex flex-wrap gap-1.5">
        {options.map((option) => (
          <label
            key={option.value}
            className={cn(
              'relative inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-sm font-medium transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus has-disabled:opacity-60 pointer-coarse:h-10',
              option.value === value
                ? cn(tones[option.tone].badge, 'ring-1 ring-current')
                : 'border-line-strong text-muted hover:bg-hover hover:text-ink',
            )}
          >
            <input
              type="radio"
              name={group}
              value={option.value}
              checked={option.value === value}
              // A dialog starts with the focus on the first control that Tab reaches: in a radio
              // group, on the chosen one.
              tabIndex={hasChoice && option.value !== value ? -1 : undefined}
              disabled={disabled}
              onChange={() => !keepsValue && onChange(option.value)}
              // Over the whole option, so that a press on the radio button itself reaches it.
              className="absolute inset-0 m-0 size-full cursor-[inherit] opacity-0"
            />
            <option.icon aria-hidden className={cn('size-4', tones[option.tone].text)} />
            {option.label}
          </label>
        ))}
      </div>
      <FieldError id={errorId} error={error} />
      {note !== undefined && (
        <p
          id={noteId}
          aria-live="polite"
          className="text-sm font-medium text-degraded empty:-mt-1.5"
        >
          {note}
        </p>
      )}
    </div>
  );
}
