import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';
import { failureText } from '@/auth/built-in/form/failure-text';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { Card, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { toast } from '@/ui/toast';
import { DeleteDialog } from './delete-dialog';

interface LeavingCardProps {
  organisation: AuthOrganisation;
  user: AuthUser;
}

/** The ways out of an organisation. */
export function LeavingCard({ organisation, user }: LeavingCardProps) {
  const api = useApi();
  const { refresh } = useSession();
  const [deleting, setDeleting] = useState(false);

  async function leave() {
    try {
      await api.delete(calls.identity.member(organisation.id, user.id));
      toast.success(`You have left ${organisation.name}`);
      await refresh();
    } catch (error) {
      toast.error(failureText(error));
    }
  }

  async function remove() {
    await api.delete(calls.identity.organisation(organisation.id));
    toast.success(`${organisation.name} is deleted`);
    await refresh();
  }

  return (
    <Card>
      <CardHeader title={organisation.role === 'admin' ? 'Leave or delete' : 'Leave'} />
      <ul className="divide-y divide-line">
        <Way
          title="Leave the organisation"
          description="You lose access to it. An admin can invite you again."
        >
          <ConfirmButton
            button={(ask) => <Button onClick={ask}>Leave</Button>}
            title={`Leave ${organisation.name}?`}
            description="You lose access to its components, incidents and subscribers at once."
            confirmLabel="Leave"
            onConfirm={leave}
          />
        </Way>
        {organisation.role === 'admin' && (
          <Way
            title="Delete the organisation"
            description="With its status page, incidents, maintenance and subscribers. It cannot be undone."
          >
            <Button variant="danger" onClick={() => setDeleting(true)}>
              Delete
            </Button>
            <DeleteDialog
              name={organisation.name}
              open={deleting}
              onOpenChange={setDeleting}
              onDelete={remove}
            />
          </Way>
        )}
      </ul>
    </Card>
  );
}

interface WayProps {
  title: string;
  description: string;
  children: ReactNode;
}

function Way({ title, description, children }: WayProps) {
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
