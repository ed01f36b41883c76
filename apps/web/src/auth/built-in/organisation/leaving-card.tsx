import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useList } from '@/api/use-list';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';
import { failureText } from '@/auth/built-in/form/failure-text';
import { withToast } from '@/auth/built-in/form/with-toast';
import { useSession } from '@/auth/built-in/session-context';
import type { Member } from '@/auth/built-in/types';
import { useMay } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Card, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { Dialog, DialogActions } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';
import { isLastAdmin } from './last-admin';

interface LeavingCardProps {
  organisation: AuthOrganisation;
  user: AuthUser;
}

/** Leaves or deletes an organisation. */
export function LeavingCard({ organisation, user }: LeavingCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [deleting, setDeleting] = useState(false);
  const isAdmin = useMay('administer');
  const members = useList<Member>(endpoints.identity.members(organisation.id));
  const mustStay = isLastAdmin(members, user.id);

  async function leave() {
    await withToast(async () => {
      await api.delete(endpoints.identity.member(organisation.id, user.id));
      toast.success(`You have left ${organisation.name}`);
      await refresh();
    });
  }

  async function remove() {
    await api.delete(endpoints.identity.organisation(organisation.id));
    toast.success(`${organisation.name} deleted`);
    await refresh();
  }

  return (
    <Card>
      <CardHeader title={isAdmin ? 'Leave or delete' : 'Leave'} />
      <ul className="divide-y divide-line">
        <LeavingOption
          title="Leave the organisation"
          description={
            mustStay
              ? 'The last admin cannot leave. Make another member an admin first, or delete the organisation.'
              : 'You lose access to it. An admin can invite you again.'
          }
        >
          <ConfirmButton
            button={(ask) => (
              <Button disabled={mustStay} onClick={ask}>
                Leave
              </Button>
            )}
            title={`Leave ${organisation.name}?`}
            description="You lose access to its components, incidents and subscribers at once."
            confirmLabel="Leave"
            onConfirm={leave}
          />
        </LeavingOption>
        {isAdmin && (
          <LeavingOption
            title="Delete the organisation"
            description="With its status page, incidents, maintenance and subscribers. It cannot be undone."
          >
            <Button variant="danger" onClick={() => setDeleting(true)}>
              Delete
            </Button>
            {deleting && (
              <DeleteDialog
                name={organisation.name}
                onClose={() => setDeleting(false)}
                onDelete={remove}
              />
            )}
          </LeavingOption>
        )}
      </ul>
    </Card>
  );
}

interface LeavingOptionProps {
  title: string;
  description: string;
  children: ReactNode;
}

function LeavingOption({ title, description, children }: LeavingOptionProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0">
        <p className="font-medium text-ink">{title}</p>
        <p className="text-sm text-muted">{description}</p>
      </div>
      {children}
    </li>
  );
}

interface DeleteDialogProps {
  name: string;
  onClose: () => void;
  /** Throws `ApiError`. */
  onDelete: () => Promise<void>;
}

/**
 * Deletes an organisation after its name has been typed. The dialog stays open until the
 * outcome is known.
 */
function DeleteDialog({ name, onClose, onDelete }: DeleteDialogProps) {
  const [isPending, run] = usePending();
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const isConfirmed = asShown(typed) === asShown(name);

  async function remove() {
    setFailure(null);
    try {
      await onDelete();
    } catch (error) {
      setFailure(failureText(error));
    }
  }

  function submit(event: SyntheticEvent) {
    event.preventDefault();
    if (isConfirmed) run(remove);
  }

  return (
    <Dialog
      open
      onOpenChange={() => !isPending && onClose()}
      title={`Delete ${name}?`}
      description="Its status page, components, incidents, maintenance, subscribers and members go with it. It cannot be undone."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {failure !== null && <Alert kind="error">{failure}</Alert>}
        <Field label={`Type “${name}” to confirm`}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button disabled={isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="danger" pending={isPending} disabled={!isConfirmed}>
            {isPending ? 'Deleting...' : 'Delete organisation'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** A text as browsers show it: spaces in a row are one. */
function asShown(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
