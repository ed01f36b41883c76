import type { ReactNode } from 'react';
import { useConfiguration } from '@/api/configuration';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';

interface CheckMailCardProps {
  email: string;
  footer: ReactNode;
}

/**
 * Shown after a sign-up, and after a new address. It must not reveal whether the address
 * has an account.
 */
export function CheckMailCard({ email, footer }: CheckMailCardProps) {
  return (
    <AuthCard title="Check your mailbox" footer={footer}>
      <Alert kind="success">
        A mail is on its way to <bdi className="font-medium break-words">{email}</bdi>. Open its
        link within 24 hours to finish.
      </Alert>
      <MailNotice />
    </AuthCard>
  );
}

/** Where the link of a mail is until a mail server is configured; nothing after that. */
export function MailNotice() {
  const { mailServer } = useConfiguration();
  if (mailServer) return null;
  return (
    <p className="text-muted">
      No mail server is set up here yet. The server writes each mail to the folder{' '}
      <code className="text-ink">mail</code> in its data folder, and its link to its log.
    </p>
  );
}
