import { useId, type ComponentProps } from 'react';
import { choiceLabel } from './control';
import { useKeepsValue } from './read-only';

interface RadioProps extends Omit<ComponentProps<'input'>, 'type' | 'id'> {
  label: string;
}

/** A radio button with its label beside it. */
export function Radio({ label, onChange, ...props }: RadioProps) {
  const id = useId();
  const keepsValue = useKeepsValue();
  return (
    <div className="flex items-baseline gap-2">
      <input
        id={id}
        type="radio"
        className="choice translate-y-0.75"
        {...props}
        onChange={(event) => !keepsValue && onChange?.(event)}
      />
      <label htmlFor={id} dir="auto" className={choiceLabel}>
        {label}
      </label>
    </div>
  );
}
