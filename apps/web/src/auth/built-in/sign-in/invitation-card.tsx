import type { ReactNode } from 'react';
import { failureText } from '@/auth/built-in/form/failure-text';
import { hostName, useInvitation } from '@/auth/built-in/use-invitation';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Skeleton } from '@/ui/skeleton';
import { AuthCard } from './auth-card';
import { InvitedCard } from './invited-card';

interface InvitationCardProps {
  token: string;
  footer: ReactNode;
}

/** Reads what an invitation's link is to, and lets its holder in. */
export function InvitationCard({ token, footer }: InvitationCardProps) {
  const [query, retry] = useInvitation(token);
  switch (query.status) {
    case 'loading':
      return (
        <AuthCard title="Reading your invitation">
          <div aria-busy className="grid gap-4">
            <Skeleton className="h-8" />
            <Skeleton className="h-8" />
            <Skeleton className="h-8" />
          </div>
        </AuthCard>
      );
    case 'failed':
      return (
        <AuthCard title="Invitation" footer={footer}>
          <Alert kind="error">{failureText(query.error)}</Alert>
          {query.error.isPassing ? (
            <Button onClick={retry}>Try Again</Button>
          ) : (
            <p className="text-muted">Ask whoever invited you for a new link.</p>
          )}
        </AuthCard>
      );
    case 'loaded':
      return (
        <InvitedCard
          token={token}
          email={query.invitation.email}
          host={hostName(query.invitation)}
        />
      );
  }
}
