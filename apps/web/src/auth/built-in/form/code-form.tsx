import { object } from 'yup';
import { IdentityForm } from './identity-form';
import { TextField } from './text-field';
import { factorCode } from './validation';

interface CodeValues {
  code: string;
}

const schema = object({ code: factorCode });

interface CodeFormProps {
  /** Whether the account has an authenticator app. */
  hasApp: boolean;
  submitLabel: string;
  pendingLabel: string;
  onSubmit: (values: CodeValues) => Promise<void>;
}

/** Takes a code of the second factor. */
export function CodeForm({ hasApp, submitLabel, pendingLabel, onSubmit }: CodeFormProps) {
  return (
    <IdentityForm
      initialValues={{ code: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel={submitLabel}
      pendingLabel={pendingLabel}
    >
      <TextField
        name="code"
        label={hasApp ? 'Code' : 'Recovery code'}
        autoComplete="one-time-code"
        description={
          hasApp ? 'Six digits of your authenticator app, or a recovery code.' : undefined
        }
      />
    </IdentityForm>
  );
}
