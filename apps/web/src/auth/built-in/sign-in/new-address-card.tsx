import { useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { withToast } from '@/auth/built-in/form/with-toast';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress } from '@/auth/built-in/form/validation';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { MailNotice } from '@/ui/mail-notice';
import { AuthCard, TextButton } from './auth-card';
import { CheckMailCard } from './check-mail-card';

const schema = object({ email: emailAddress });

/** Asks for another address if the account's address belongs to an older account. */
export function NewAddressCard() {
  const api = useApi();
  const { signOut } = useSession();
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function request(values: { email: string }) {
    await api.post(endpoints.identity.address, values);
    setSentTo(values.email);
  }

  const out = <TextButton onClick={() => void withToast(signOut)}>Sign out</TextButton>;
  if (sentTo !== null) {
    const again = (
      <>
        <TextButton onClick={() => setSentTo(null)}>Use another address</TextButton>
        {out}
      </>
    );
    return <CheckMailCard email={sentTo} footer={again} />;
  }
  return (
    <AuthCard
      title="Enter a new address"
      description="An address has one account now, and yours belongs to an older one. Your account stays; it needs an address of its own."
      footer={out}
    >
      <IdentityForm
        initialValues={{ email: '' }}
        schema={schema}
        onSubmit={request}
        submitLabel="Send the link"
        pendingLabel="Sending..."
      >
        <TextField name="email" label="Email" type="email" autoComplete="email" />
      </IdentityForm>
      <MailNotice />
    </AuthCard>
  );
}
