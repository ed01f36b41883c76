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
  placeholder?: string;
  disabled?: boolean;
}

/** A field of an `IdentityForm`. */
export function TextField({
  name,
  label,
  type = 'text',
  autoComplete,
  description,
  placeholder,
  disabled = false,
}: TextFieldProps) {
  const [field, { error, touched }] = useField<string>(name);
  const own = { ...field, autoComplete, disabled, ...(placeholder && { placeholder }) };
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
