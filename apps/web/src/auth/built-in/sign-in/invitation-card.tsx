import { type ReactNode, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useConfiguration } from '@/api/configuration';
import { failureText } from '@/auth/built-in/form/failure-text';
import { useSession } from '@/auth/built-in/session-context';
import type { AwaitedFactors } from '@/auth/built-in/types';
import { hostName, useAcceptInvitation, useInvitation } from '@/auth/built-in/use-invitation';
import { endpoints, paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { AuthCard, TextButton } from './auth-card';
import { CheckMailCard } from './check-mail-card';
import { CodeCard } from './code-card';
import { ProviderButtons } from './provider-buttons';
import { SignInForm, type SignInResponse, type SignInValues } from './sign-in-card';
import { SignUpForm, type SignUpValues } from './sign-up-card';

interface InvitationCardProps {
  token: string;
  footer: ReactNode;
}

/** Reads an invitation and lets the visitor accept it. */
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
          {query.error.isTransient ? (
            <Button onClick={retry}>Try Again</Button>
          ) : (
            <p className="text-muted">Ask the person who invited you for a new link.</p>
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

interface InvitedCardProps {
  token: string;
  email: string;
  /** Name of the organisation, or of the installation. */
  host: string;
}

/** Accepts an invitation with a new or an existing account. */
function InvitedCard({ token, email, host }: InvitedCardProps) {
  const api = useApi();
  const { refresh, links } = useSession();
  const accept = useAcceptInvitation();
  const { passwords } = useConfiguration();
  const [hasAccount, setHasAccount] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [awaited, setAwaited] = useState<AwaitedFactors | null>(null);

  async function signUp(values: SignUpValues) {
    const call = api.post<{ pending?: boolean }>(endpoints.identity.signUp, {
      ...values,
      invitationToken: token,
    });
    // An address other than the invited one must be confirmed first.
    if ((await call).data.pending) {
      setSentTo(values.email);
      return;
    }
    links.use();
    await refresh();
  }

  async function signIn(values: SignInValues) {
    const { data } = await api.post<SignInResponse>(endpoints.identity.signIn, values);
    if (data.secondFactor) setAwaited(data);
    else await join();
  }

  async function join() {
    links.use();
    try {
      await accept(token);
    } catch (error) {
      // The user is signed in nevertheless.
      toast.error(failureText(error));
      await refresh();
    }
  }

  const footer = (
    <TextButton onClick={() => setHasAccount(!hasAccount)}>
      {hasAccount ? 'Create a new account instead' : 'Join with an account you have'}
    </TextButton>
  );
  // The link is opened again after the sign-in, and accepted then.
  const returnTo = `${paths.login}?${new URLSearchParams({ invitation: token }).toString()}`;
  const providers = <ProviderButtons returnTo={returnTo} />;
  const withPasskey = <ProviderButtons returnTo={returnTo} onSignedIn={join} />;
  if (sentTo !== null) return <CheckMailCard email={sentTo} footer={null} />;
  if (awaited !== null) {
    return <CodeCard awaited={awaited} onSignedIn={join} onCancel={() => setAwaited(null)} />;
  }
  if (!passwords) {
    return (
      <AuthCard title={`Join ${host}`} description="You are invited. Sign in to join.">
        {providers}
      </AuthCard>
    );
  }
  if (hasAccount) {
    return (
      <AuthCard
        key="sign-in"
        title={`Join ${host}`}
        description="Sign in with the account you have."
        footer={footer}
      >
        {withPasskey}
        <SignInForm email={email} onSubmit={signIn} />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      key="sign-up"
      title={`Join ${host}`}
      description="You are invited. Create your account to begin."
      footer={footer}
    >
      {providers}
      <SignUpForm email={email} onSubmit={signUp} />
    </AuthCard>
  );
}
