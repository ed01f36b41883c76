import type { ReactNode } from 'react';
import { DateTimeInput } from './datetime-input';
import { Field } from './field';
import { useDateField } from './use-date-field';

interface DateTimeFieldProps {
  name: string;
  label: string;
  description?: ReactNode;
  required?: boolean;
}

/** A time in a form, which the user enters in the time zone of the browser. */
export function DateTimeField({ name, description, ...field }: DateTimeFieldProps) {
  const { input, error, setValue } = useDateField(name);
  return (
    <Field
      {...field}
      description={
        <>
          {description} {timeZoneHint()}
        </>
      }
      error={error}
    >
      {(control) => (
        <DateTimeInput {...control} {...input} onChange={(instant) => void setValue(instant)} />
      )}
    </Field>
  );
}

function timeZoneHint(): string {
  return `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
}
