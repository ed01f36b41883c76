import { useFormikContext } from 'formik';
import { useEffect, useState } from 'react';
import { passwordLength } from './validation';
import { TextField } from './text-field';

interface NewPasswordFieldProps {
  name: string;
  label: string;
  /** Added to the rule about the length. */
  hint?: string;
  /** Name and address of the person, which make a password easier to guess. */
  personal?: readonly string[];
}

/** A field for a new password, with an estimate of its strength. */
export function NewPasswordField({ name, label, hint, personal = [] }: NewPasswordFieldProps) {
  const { values } = useFormikContext<Record<string, string>>();
  const rule = `At least ${passwordLength.min} characters.`;
  return (
    <div className="grid gap-1.5">
      <TextField
        name={name}
        label={label}
        type="password"
        autoComplete="new-password"
        description={hint === undefined ? rule : `${rule} ${hint}`}
      />
      <Strength password={values[name] ?? ''} personal={personal.join('\n')} />
    </div>
  );
}

const labels = ['Very weak', 'Weak', 'Fair', 'Good', 'Strong'] as const;

/** The estimate never forbids a password: the rules of the server do. */
function Strength({ password, personal }: { password: string; personal: string }) {
  const score = useScore(password, personal);
  return (
    <div className="flex h-5 items-center gap-2 text-sm text-muted">
      <span aria-hidden className="grid flex-1 grid-cols-4 gap-1">
        {[1, 2, 3, 4].map((step) => (
          <span
            key={step}
            className={`h-1 rounded-full ${score !== null && score >= step ? colors[score] : 'bg-line'}`}
          />
        ))}
      </span>
      <span aria-live="polite" className="w-20 text-right">
        {score !== null && (
          <>
            <span className="sr-only">Strength of the password: </span>
            {labels[score]}
          </>
        )}
      </span>
    </div>
  );
}

const colors = ['bg-major', 'bg-major', 'bg-degraded', 'bg-operational', 'bg-operational'] as const;

type Score = 0 | 1 | 2 | 3 | 4;

/** Null while there is no text, or the estimator is not loaded. */
function useScore(password: string, personal: string): Score | null {
  const [estimate, setEstimate] = useState<{ of: string; score: Score } | null>(null);
  const isEmpty = password === '';

  useEffect(() => {
    if (isEmpty) return;
    let wanted = true;
    void import('./password-strength')
      .then(({ strength }) => {
        if (wanted) setEstimate({ of: password, score: strength(password, personal.split('\n')) });
      })
      // Without the estimator the field works as well.
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [password, personal, isEmpty]);

  return isEmpty ? null : (estimate?.score ?? null);
}
