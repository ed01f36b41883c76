import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { ApiError, ignoreCutOff } from '@/api/error';
import { failureText } from '@/auth/built-in/form/failure-text';
import { useSession } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Skeleton } from '@/ui/skeleton';
import { AuthCard, TextButton } from './auth-card';

interface ConfirmationCardProps {
  kind: 'confirmation' | 'address';
  token: string;
  footer: ReactNode;
  /** The way to a new link; absent if there is none. */
  onSignUp: (() => void) | null;
}

const texts = {
  confirmation: { call: endpoints.identity.confirmSignUp, loading: 'Creating your account' },
  address: { call: endpoints.identity.confirmAddress, loading: 'Confirming your address' },
};

/** Confirms the token of a mailed link. */
export function ConfirmationCard({ kind, token, footer, onSignUp }: ConfirmationCardProps) {
  const api = useApi();
  const { refresh, links } = useSession();
  const [failure, setFailure] = useState<ApiError | null>(null);
  const started = useRef(false);

  async function confirm() {
    setFailure(null);
    try {
      await api.post(texts[kind].call, { token }).catch(ignoreCutOff);
      links.use();
      await refresh();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure(error);
    }
  }

  useEffect(() => {
    // The token works once, but an effect may run twice.
    if (started.current) return;
    started.current = true;
    void confirm();
  });

  if (failure === null) {
    return (
      <AuthCard title={texts[kind].loading}>
        <div aria-busy className="grid gap-4">
          <Skeleton className="h-8" />
          <Skeleton className="h-8" />
        </div>
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Confirmation" footer={footer}>
      <Alert kind="error">{failureText(failure)}</Alert>
      {failure.isTransient && <Button onClick={() => void confirm()}>Try Again</Button>}
      {!failure.isTransient && kind === 'confirmation' && onSignUp !== null && (
        <p className="text-muted">
          Links work once, for 24 hours. <TextButton onClick={onSignUp}>Sign up again</TextButton>
        </p>
      )}
    </AuthCard>
  );
}
