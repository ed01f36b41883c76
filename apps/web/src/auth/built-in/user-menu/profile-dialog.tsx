import type { RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import { useSession } from '@/auth/built-in/session-context';
import type { SessionUser } from '@/auth/built-in/types';
import { calls } from '@/paths';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { Tabs } from '@/ui/tabs';
import { toast } from '@/ui/toast';
import { DeletionForm, type DeletionValues } from './deletion-form';
import { NameForm, type NameValues } from './name-form';
import { PasswordForm, type PasswordValues } from './password-form';

interface ProfileDialogProps {
  user: SessionUser;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

export function ProfileDialog({ user, open, onOpenChange, returnTo }: ProfileDialogProps) {
  const api = useApi();
  const { refresh } = useSession();

  async function rename(values: NameValues) {
    await api.patch(calls.identity.user, values);
    await refresh();
    toast.success('Name changed');
    onOpenChange(false);
  }

  async function changePassword(values: PasswordValues) {
    await api.post(calls.identity.password, values);
    toast.success('Password changed');
    onOpenChange(false);
  }

  async function deleteAccount(values: DeletionValues) {
    await api.delete(calls.identity.user, values);
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
        keepMounted
        tabs={[
          {
            value: 'name',
            label: 'Name',
            content: <NameForm name={user.name} onSubmit={rename} />,
          },
          {
            value: 'password',
            label: 'Password',
            content: <PasswordForm email={user.email} onSubmit={changePassword} />,
          },
          {
            value: 'delete',
            label: 'Delete account',
            content: <DeletionForm email={user.email} onSubmit={deleteAccount} />,
          },
        ]}
      />
    </GuardedDialog>
  );
}
