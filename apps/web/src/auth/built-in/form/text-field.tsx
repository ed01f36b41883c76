import { useField } from 'formik';
import type { ReactNode } from 'react';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { PasswordInput } from '@/ui/password-input';

interface TextFieldProps {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  /** The value that password managers and browsers fill in. */
  autoComplete: string;
  description?: ReactNode;
}

/** A field of an `IdentityForm`. */
export function TextField({
  name,
  label,
  type = 'text',
  autoComplete,
  description,
}: TextFieldProps) {
  const [field, { error, touched }] = useField<string>(name);
  const own = { ...field, autoComplete };
  return (
    <Field label={label} description={description} error={touched && error} required>
      {(control) =>
        type === 'password' ? (
          <PasswordInput {...control} {...own} />
        ) : (
          <Input {...control} {...own} type={type} />
        )
      }
    </Field>
  );
}
