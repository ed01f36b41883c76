import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { calls } from '@/paths';
import { AuthCard } from './auth-card';
import { WaitlistForm, type WaitlistValues } from './waitlist-form';
import { WaitlistedCard } from './waitlisted-card';

interface Joined {
  message: string | null;
}

export function WaitlistCard({ footer }: { footer: ReactNode }) {
  const api = useApi();
  const [joined, setJoined] = useState<Joined | null>(null);

  async function join(values: WaitlistValues) {
    setJoined(await api.post(calls.identity.signUp, { ...values, password: randomPassword() }));
  }

  if (joined !== null) return <WaitlistedCard message={joined.message} footer={footer} />;
  return (
    <AuthCard
      title="Join the waitlist"
      description="Accounts are made by invitation here. Once you are let in, a link comes by mail."
      footer={footer}
    >
      <WaitlistForm onSubmit={join} />
    </AuthCard>
  );
}

/** The call is that of an account and wants a password. Whoever waits chooses one later, and this one is not kept. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
