import { useId, type ComponentProps, type ReactNode } from 'react';
import { choiceLabel } from './control';
import { useKeepsValue } from './read-only';

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'id'> {
  label: string;
  description?: ReactNode;
  /** Keeps its value and the focus, unlike `disabled`. */
  readOnly?: boolean;
}

/** A checkbox with its label beside it. */
export function Checkbox({
  label,
  description,
  readOnly = false,
  onChange,
  ...props
}: CheckboxProps) {
  const id = useId();
  const isKept = useKeepsValue();
  const keepsValue = readOnly || isKept;
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2 gap-y-0.5">
      <input
        id={id}
        type="checkbox"
        aria-describedby={description ? `${id}-description` : undefined}
        className="choice translate-y-0.75"
        {...props}
        aria-readonly={keepsValue}
        onChange={(event) => !keepsValue && onChange?.(event)}
      />
      <label htmlFor={id} dir="auto" className={choiceLabel}>
        {label}
      </label>
      {description && (
        <p
          id={`${id}-description`}
          className="col-start-2 text-sm text-muted pointer-coarse:-mt-2.5"
        >
          {description}
        </p>
      )}
    </div>
  );
}
