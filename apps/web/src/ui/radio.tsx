import { useId, type ComponentProps } from 'react';
import { choiceLabel } from './control';

interface RadioProps extends Omit<ComponentProps<'input'>, 'type' | 'id'> {
  label: string;
  /** Keeps its value and the focus, unlike `disabled`. */
  readOnly?: boolean;
}

/** A radio button with its label beside it. */
export function Radio({ label, readOnly = false, onChange, ...props }: RadioProps) {
  const id = useId();
  return (
    <div className="flex items-baseline gap-2">
      <input
        id={id}
        type="radio"
        className="size-4 translate-y-0.5 accent-primary"
        {...props}
        onChange={(event) => !readOnly && onChange?.(event)}
      />
      <label htmlFor={id} dir="auto" className={choiceLabel}>
        {label}
      </label>
    </div>
  );
}
