import type { ReactNode } from 'react';
import { Alert } from '@/ui/alert';
import { MailNotice } from '@/ui/mail-notice';
import { AuthCard } from './auth-card';

interface CheckMailCardProps {
  email: string;
  footer: ReactNode;
}

/** Shown after a sign-up, and after a new address. */
export function CheckMailCard({ email, footer }: CheckMailCardProps) {
  return (
    <AuthCard title="Check your mailbox" footer={footer}>
      <MailSent email={email} />
    </AuthCard>
  );
}

/**
 * Says what to do with a mail that is on its way. It must not reveal whether the address has
 * an account.
 */
export function MailSent({ email }: { email: string }) {
  return (
    <>
      <Alert kind="success">
        A mail is on its way to <bdi className="font-medium break-words">{email}</bdi>. Open its
        link within 24 hours to finish.
      </Alert>
      <MailNotice />
    </>
  );
}
