import type { ReactNode } from 'react';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';
import { MailNotice } from './mail-notice';

interface CheckMailCardProps {
  email: string;
  footer: ReactNode;
}

/** After a sign-up, and after a new address. It must not tell whether the address has an account. */
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
