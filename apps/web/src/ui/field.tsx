import { useId, type ReactNode } from 'react';
import { cn } from './cn';
import { useKeepsValue } from './read-only';

/** Props of the control inside a field. */
interface ControlProps {
  id: string;
  required: boolean;
  readOnly: boolean;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  description?: ReactNode;
  /** The error, from formik: `touched.name && errors.name`. */
  error?: string | false | undefined;
  required?: boolean;
  className?: string;
  children: (control: ControlProps) => ReactNode;
}

/**
 * A label, a control, and what is said about it. Formik's props go beside the field's:
 * `<Field label="Name" error={…}>{(control) => <Input {...control} {...formik.getFieldProps('name')} />}</Field>`
 */
export function Field({
  label,
  description,
  error,
  required = false,
  className,
  children,
}: FieldProps) {
  const id = useId();
  const readOnly = useKeepsValue();
  const descriptionId = `${id}-description`;
  const errorId = `${id}-error`;
  const describedBy = [error && errorId, description && descriptionId].filter(Boolean).join(' ');

  return (
    <div className={cn('grid min-w-0 content-start gap-1.5', className)}>
      <label htmlFor={id} data-required={required} className="w-fit text-sm font-medium text-ink">
        {label}
      </label>
      {description && (
        <p id={descriptionId} className="text-sm text-muted">
          {description}
        </p>
      )}
      {children({
        id,
        required,
        readOnly,
        'aria-invalid': Boolean(error),
        'aria-describedby': describedBy || undefined,
      })}
      <FieldError id={errorId} error={error} />
    </div>
  );
}

export function FieldError({ id, error }: { id: string; error: string | false | undefined }) {
  if (!error) return null;
  return (
    <p id={id} role="alert" className="text-sm font-medium text-major">
      {error}
    </p>
  );
}
