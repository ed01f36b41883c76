import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { withToast } from '@/auth/built-in/form/with-toast';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { givenPassword } from '@/auth/built-in/form/validation';
import { useSession, useSignedIn } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { toast } from '@/ui/toast';

interface DeletionTabProps {
  email: string;
  onDone: () => void;
}

/** Deletes the account, once it is confirmed by the password if there is one. */
export function DeletionTab({ email, onDone }: DeletionTabProps) {
  const api = useApi();
  const { refresh } = useSession();
  const hasPassword = useSignedIn()?.ways.password ?? true;

  async function deleteAccount(values: DeletionValues | Record<string, never>) {
    await api.delete(endpoints.identity.user, values);
    onDone();
    toast.success('Account deleted');
    await refresh();
  }

  return hasPassword ? (
    <DeletionForm email={email} onSubmit={deleteAccount} />
  ) : (
    <DeletionWithoutPassword onConfirm={() => deleteAccount({})} />
  );
}

interface DeletionValues {
  password: string;
}

const deletionText =
  'Your sessions end, and organisations that nobody else belongs to are deleted with their status pages. Updates you recorded stay, without your name. It cannot be undone.';

function DeletionWithoutPassword({ onConfirm }: { onConfirm: () => Promise<void> }) {
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
          onConfirm={() => withToast(onConfirm)}
        />
      </div>
    </div>
  );
}

const schema = object({ password: givenPassword });

interface DeletionFormProps {
  /** For password managers. */
  email: string;
  onSubmit: (values: DeletionValues) => Promise<void>;
}

function DeletionForm({ email, onSubmit }: DeletionFormProps) {
  return (
    <IdentityForm
      initialValues={{ password: '' }}
      schema={schema}
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
