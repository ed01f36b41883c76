import { useState } from 'react';
import { ApiProvider, useApi } from '@/api/api-provider';
import type { GetToken } from '@/api/client';
import { ignoreCutOff } from '@/api/error';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Dialog, DialogActions } from '@/ui/dialog';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { Spinner } from '@/ui/spinner';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';
import { failureText } from './form/failure-text';
import { useSession } from './session-context';
import {
  NewPasswordForm,
  passwordChanged,
  type NewPasswordValues,
} from './sign-in/new-password-card';
import { hostName, useAcceptInvitation, useInvitation } from './use-invitation';

/** Handles a mailed link of a signed-in user, for whom the sign-in page is not available. */
export function LinkDialog({ getToken }: { getToken: GetToken }) {
  const { links, state } = useSession();
  if (state.status !== 'signed-in' || state.user.needsAddress) return null;
  if (links.link === null || links.link.used) return null;
  const { kind, token } = links.link;
  return (
    <ApiProvider getToken={getToken}>
      {kind === 'invitation' && <InvitationDialog token={token} />}
      {kind === 'reset' && <ResetDialog token={token} />}
      {(kind === 'confirmation' || kind === 'address') && (
        <ConfirmationDialog kind={kind} token={token} />
      )}
    </ApiProvider>
  );
}

function InvitationDialog({ token }: { token: string }) {
  const { links } = useSession();
  const [query, retry] = useInvitation(token);
  const accept = useAcceptInvitation();
  const [accepting, run] = usePending();
  const [failure, setFailure] = useState<string | null>(null);
  const host = query.status === 'loaded' ? hostName(query.invitation) : null;

  async function join() {
    setFailure(null);
    try {
      await accept(token);
      links.dismiss();
    } catch (error) {
      setFailure(failureText(error));
    }
  }

  return (
    <Dialog
      open
      onOpenChange={() => !accepting && links.dismiss()}
      title={host === null ? 'Invitation' : `Join ${host}?`}
      {...(host !== null && {
        description: 'You are invited, and go on with the account you have.',
      })}
    >
      {query.status === 'loading' && <Spinner label="Reading your invitation..." />}
      {query.status === 'failed' && <Alert kind="error">{failureText(query.error)}</Alert>}
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <DialogActions>
        <Button disabled={accepting} onClick={links.dismiss}>
          Not now
        </Button>
        {query.status === 'failed' && query.error.isTransient && (
          <Button onClick={retry}>Try Again</Button>
        )}
        {query.status === 'loaded' && (
          <Button variant="primary" pending={accepting} onClick={() => run(join)}>
            {accepting ? 'Joining...' : 'Join'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const confirmations = {
  confirmation: {
    call: endpoints.identity.confirmSignUp,
    title: 'Create the account?',
    description: 'You are signed out of the account you have, and in with the new one.',
    done: 'Account created',
  },
  address: {
    call: endpoints.identity.confirmAddress,
    title: 'Confirm the address?',
    description:
      'It becomes the address of your account if it was entered for it. Your other sessions end.',
    done: 'Address confirmed',
  },
};

function ConfirmationDialog({ kind, token }: { kind: 'confirmation' | 'address'; token: string }) {
  const api = useApi();
  const { links, refresh } = useSession();
  const [pending, run] = usePending();
  const [failure, setFailure] = useState<string | null>(null);
  const { call, title, description, done } = confirmations[kind];

  async function confirm() {
    setFailure(null);
    try {
      await api.post(call, { token }).catch(ignoreCutOff);
      links.dismiss();
      toast.success(done);
      await refresh();
    } catch (error) {
      setFailure(failureText(error));
    }
  }

  return (
    <Dialog
      open
      onOpenChange={() => !pending && links.dismiss()}
      title={title}
      description={description}
    >
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <DialogActions>
        <Button disabled={pending} onClick={links.dismiss}>
          Not now
        </Button>
        <Button variant="primary" pending={pending} onClick={() => run(confirm)}>
          {pending ? 'Confirming...' : 'Confirm'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function ResetDialog({ token }: { token: string }) {
  const api = useApi();
  const { links, refresh } = useSession();

  async function change({ password }: NewPasswordValues) {
    await api.post(endpoints.identity.confirmPasswordReset, { token, password });
    toast.success(passwordChanged, { duration: Infinity });
    links.dismiss();
    await refresh();
  }

  return (
    <GuardedDialog
      open
      onOpenChange={links.dismiss}
      title="Choose a new password"
      description="You are signed out everywhere once it is changed."
    >
      <NewPasswordForm onSubmit={change} />
    </GuardedDialog>
  );
}
