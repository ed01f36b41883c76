import type { FormikHelpers } from 'formik';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { withToast } from '@/auth/built-in/form/with-toast';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { NewPasswordField } from '@/auth/built-in/form/new-password-field';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenPassword, newPassword } from '@/auth/built-in/form/validation';
import { useSignedIn } from '@/auth/built-in/session-context';
import type { SessionUser } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { useFinishDialog } from '@/ui/dialog-guard';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';

interface PasswordTabProps {
  user: SessionUser;
}

export function PasswordTab(props: PasswordTabProps) {
  const hasPassword = useSignedIn()?.ways.password ?? true;
  return hasPassword ? <PasswordForm {...props} /> : <NoPassword email={props.user.email} />;
}

interface PasswordValues {
  currentPassword: string;
  newPassword: string;
}

const schema = object({ currentPassword: givenPassword, newPassword });

function PasswordForm({ user: { name, email } }: PasswordTabProps) {
  const api = useApi();
  const finish = useFinishDialog();

  async function change(values: PasswordValues, form: FormikHelpers<PasswordValues>) {
    await api.post(endpoints.identity.password, values);
    toast.success('Password changed');
    form.resetForm();
    finish();
  }

  return (
    <IdentityForm
      initialValues={{ currentPassword: '', newPassword: '' }}
      schema={schema}
      onSubmit={change}
      submitLabel="Change Password"
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
    await withToast(
      () => api.post(endpoints.identity.passwordReset, { email }),
      `Link sent to ${email}`,
    );
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
