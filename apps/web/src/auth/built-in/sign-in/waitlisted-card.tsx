import type { ReactNode } from 'react';
import { Alert } from '@/ui/alert';
import { AuthCard } from './auth-card';

interface WaitlistedCardProps {
  /** What the server said. */
  message: string | null;
  footer: ReactNode;
}

export function WaitlistedCard({ message, footer }: WaitlistedCardProps) {
  return (
    <AuthCard title="Thank you" footer={footer}>
      <Alert kind="success">{message ?? 'Once you are let in, a link comes by mail.'}</Alert>
    </AuthCard>
  );
}
