import type { RefObject } from 'react';
import { useConfiguration } from '@/api/configuration';
import { useSignedIn } from '@/auth/built-in/session-context';
import type { SessionUser } from '@/auth/built-in/types';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { Tabs } from '@/ui/tabs';
import { DeletionTab } from './deletion-tab';
import { EmailTab } from './email-tab';
import { NameTab } from './name-tab';
import { PasswordTab } from './password-tab';
import { SecondFactorTab } from './second-factor-tab';
import { SessionsTab } from './sessions-tab';

interface ProfileDialogProps {
  user: SessionUser;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

export function ProfileDialog({ user, open, onOpenChange, returnTo }: ProfileDialogProps) {
  const { passwords } = useConfiguration();
  // Otherwise an identity provider knows the address.
  const hasPassword = useSignedIn()?.ways.password ?? true;
  const email = {
    value: 'email',
    label: 'Email',
    keepMounted: true,
    // A new address begins a new form.
    content: <EmailTab key={user.email} email={user.email} />,
  } as const;
  const password = {
    value: 'password',
    label: 'Password',
    keepMounted: true,
    content: <PasswordTab user={user} />,
  } as const;
  return (
    <GuardedDialog
      open={open}
      onOpenChange={onOpenChange}
      className="max-w-2xl!"
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
            content: <NameTab name={user.name} />,
          },
          ...(hasPassword ? [email] : []),
          ...(passwords ? [password] : []),
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
            content: <DeletionTab email={user.email} onDone={() => onOpenChange(false)} />,
          },
        ]}
      />
    </GuardedDialog>
  );
}
