import type { RefObject } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { useConfiguration } from '@/api/configuration';
import { failureText } from '@/auth/built-in/form/failure-text';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { NewPasswordField } from '@/auth/built-in/form/new-password-field';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenPassword, newPassword, personName } from '@/auth/built-in/form/validation';
import { useSession, useSignedIn } from '@/auth/built-in/session-context';
import type { SessionUser } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { Tabs } from '@/ui/tabs';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';
import { SecondFactorTab } from './second-factor-tab';
import { SessionsTab } from './sessions-tab';

interface ProfileDialogProps {
  user: SessionUser;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

export function ProfileDialog({ user, open, onOpenChange, returnTo }: ProfileDialogProps) {
  const api = useApi();
  const { refresh } = useSession();
  const { passwords } = useConfiguration();
  const hasPassword = useSignedIn()?.ways.password ?? true;

  async function rename(values: NameValues) {
    await api.patch(endpoints.identity.user, values);
    await refresh();
    toast.success('Name changed');
    onOpenChange(false);
  }

  async function changePassword(values: PasswordValues) {
    await api.post(endpoints.identity.password, values);
    toast.success('Password changed');
    onOpenChange(false);
  }

  async function deleteAccount(values: DeletionValues | Record<string, never>) {
    await api.delete(endpoints.identity.user, values);
    onOpenChange(false);
    toast.success('Your account is deleted');
    await refresh();
  }

  return (
    <GuardedDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Profile"
      description={user.email}
      returnTo={returnTo}
    >
      <Tabs
        label="Profile"
        tabs={[
          {
            value: 'name',
            label: 'Name',
            keepMounted: true,
            content: <NameForm name={user.name} onSubmit={rename} />,
          },
          ...(passwords
            ? [
                {
                  value: 'password',
                  label: 'Password',
                  keepMounted: true,
                  content: hasPassword ? (
                    <PasswordForm user={user} onSubmit={changePassword} />
                  ) : (
                    <NoPassword email={user.email} />
                  ),
                },
              ]
            : []),
          {
            value: 'factors',
            label: 'Second factor',
            keepMounted: 'once-opened',
            content: <SecondFactorTab />,
          },
          {
            value: 'sessions',
            label: 'Sessions',
            keepMounted: 'once-opened',
            content: <SessionsTab />,
          },
          {
            value: 'delete',
            label: 'Delete account',
            keepMounted: true,
            content: hasPassword ? (
              <DeletionForm email={user.email} onSubmit={deleteAccount} />
            ) : (
              <DeletionWithoutPassword onConfirm={() => deleteAccount({})} />
            ),
          },
        ]}
      />
    </GuardedDialog>
  );
}

interface NameValues {
  name: string;
}

const nameSchema = object({ name: personName });

interface NameFormProps {
  name: string;
  onSubmit: (values: NameValues) => Promise<void>;
}

function NameForm({ name, onSubmit }: NameFormProps) {
  return (
    <IdentityForm
      initialValues={{ name }}
      schema={nameSchema}
      onSubmit={onSubmit}
      submitLabel="Save"
      pendingLabel="Saving..."
      layout="end"
    >
      <TextField
        name="name"
        label="Name"
        autoComplete="name"
        description="Other members see it, also beside the updates you record."
      />
    </IdentityForm>
  );
}

interface PasswordValues {
  currentPassword: string;
  newPassword: string;
}

const passwordSchema = object({ currentPassword: givenPassword, newPassword });

interface PasswordFormProps {
  user: SessionUser;
  onSubmit: (values: PasswordValues) => Promise<void>;
}

function PasswordForm({ user: { name, email }, onSubmit }: PasswordFormProps) {
  return (
    <IdentityForm
      initialValues={{ currentPassword: '', newPassword: '' }}
      schema={passwordSchema}
      onSubmit={onSubmit}
      submitLabel="Change password"
      pendingLabel="Changing password..."
      layout="end"
    >
      {/* For password managers. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        name="currentPassword"
        label="Current password"
        type="password"
        autoComplete="current-password"
      />
      <NewPasswordField
        name="newPassword"
        label="New password"
        hint="Your other sessions are signed out."
        personal={[name, email]}
      />
    </IdentityForm>
  );
}

/** For a user who signs in with an identity provider only. */
function NoPassword({ email }: { email: string }) {
  const api = useApi();
  const [isPending, run] = usePending();

  async function request() {
    try {
      await api.post(endpoints.identity.passwordReset, { email });
      toast.success(`A link is on its way to ${email}`);
    } catch (error) {
      toast.error(failureText(error));
    }
  }

  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Your account has no password. To sign in with one as well, set it by a link that is mailed
        to you.
      </p>
      <div className="flex justify-end">
        <Button pending={isPending} onClick={() => run(request)}>
          Mail me a link
        </Button>
      </div>
    </div>
  );
}

interface DeletionValues {
  password: string;
}

const deletionText =
  'Your sessions end, and organisations that nobody else belongs to are deleted with their status pages. Updates you recorded stay, without your name. It cannot be undone.';

function DeletionWithoutPassword({ onConfirm }: { onConfirm: () => Promise<void> }) {
  async function confirm() {
    try {
      await onConfirm();
    } catch (error) {
      toast.error(failureText(error));
    }
  }

  return (
    <div className="grid gap-4">
      <p className="text-muted">{deletionText}</p>
      <div className="flex justify-end">
        <ConfirmButton
          button={(ask) => (
            <Button variant="danger" onClick={ask}>
              Delete account
            </Button>
          )}
          title="Delete your account?"
          description="It cannot be undone."
          confirmLabel="Delete"
          onConfirm={confirm}
        />
      </div>
    </div>
  );
}

const deletionSchema = object({ password: givenPassword });

interface DeletionFormProps {
  /** For password managers. */
  email: string;
  onSubmit: (values: DeletionValues) => Promise<void>;
}

function DeletionForm({ email, onSubmit }: DeletionFormProps) {
  return (
    <IdentityForm
      initialValues={{ password: '' }}
      schema={deletionSchema}
      onSubmit={onSubmit}
      submitLabel="Delete account"
      pendingLabel="Deleting account..."
      variant="danger"
      layout="end"
    >
      <p className="text-muted">{deletionText}</p>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
    </IdentityForm>
  );
}
