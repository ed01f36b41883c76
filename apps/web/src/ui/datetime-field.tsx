import { useField } from 'formik';
import { useCallback, useRef, type ReactNode } from 'react';
import { DateTimeInput } from './datetime-input';
import { Field } from './field';

interface DateTimeFieldProps {
  name: string;
  label: string;
  description?: ReactNode;
  required?: boolean;
  className?: string;
}

/** A time in a form, which the user enters in the time zone of the browser. */
export function DateTimeField({ name, description, ...field }: DateTimeFieldProps) {
  const element = useRef<HTMLInputElement>(null);
  // The value of a date without a time is empty, as if nothing had been entered.
  const validate = useCallback(
    () => (element.current?.validity.badInput ? 'Invalid date format' : undefined),
    [],
  );
  const [input, { touched, error }, { setValue }] = useField<string>({ name, validate });
  return (
    <Field
      {...field}
      description={
        <>
          {description} {timeZoneHint()}
        </>
      }
      error={touched && error}
    >
      {(control) => (
        <DateTimeInput
          {...control}
          {...input}
          ref={element}
          onChange={(instant) => void setValue(instant)}
        />
      )}
    </Field>
  );
}

function timeZoneHint(): string {
  return `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
}
