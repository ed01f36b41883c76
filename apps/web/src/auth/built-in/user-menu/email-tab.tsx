import { useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress } from '@/auth/built-in/form/validation';
import { MailSent } from '@/auth/built-in/sign-in/check-mail-card';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { StepFocus } from './step-focus';

interface EmailValues {
  email: string;
}

const schema = object({ email: emailAddress });

/** Asks for another address of the account, which counts once its mailed link is followed. */
export function EmailTab({ email }: EmailValues) {
  const api = useApi();
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function request(values: EmailValues) {
    await api.post(endpoints.identity.address, values);
    setSentTo(values.email);
  }

  return (
    <StepFocus step={sentTo}>
      <div className="grid gap-4">
        {sentTo === null ? (
          <>
            <p className="text-muted">
              Your address is <bdi className="break-words text-ink">{email}</bdi>. It stays until
              you open the link that is mailed to the new one. Your other sessions end then.
            </p>
            <IdentityForm
              initialValues={{ email: '' }}
              schema={schema}
              onSubmit={request}
              submitLabel="Send the link"
              pendingLabel="Sending..."
              layout="end"
            >
              <TextField name="email" label="New email" type="email" autoComplete="email" />
            </IdentityForm>
          </>
        ) : (
          <>
            <MailSent email={sentTo} />
            <div className="flex justify-end">
              <Button onClick={() => setSentTo(null)}>Use another address</Button>
            </div>
          </>
        )}
      </div>
    </StepFocus>
  );
}
