import { Building2, ChevronsUpDown, Plus, Settings } from 'lucide-react';
import { useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { withToast } from '@/auth/built-in/form/with-toast';
import { useSession, useSignedIn } from '@/auth/built-in/session-context';
import { paths } from '@/paths';
import { Button } from '@/ui/button';
import { DropdownMenu, MenuItem, MenuLabel, MenuSeparator } from '@/ui/dropdown-menu';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { useOpen } from '@/ui/use-open';
import { usePending } from '@/ui/use-pending';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { OrganisationForm, useCreateOrganisation } from './organisation-form';

export function OrganisationSwitcher() {
  const session = useSignedIn();
  const { switchTo } = useSession();
  const create = useCreateOrganisation();
  const navigate = useNavigate();
  const { leave, question } = useConfirmLeave();
  const trigger = useRef<HTMLButtonElement>(null);
  const [creating, setCreating] = useOpen();
  const [switching, run] = usePending();
  if (session === null) return null;
  const { organisation, organisations } = session;

  function choose(id: string) {
    if (id !== organisation?.id) leave(() => run(() => withToast(() => switchTo(id))));
  }

  return (
    <>
      <DropdownMenu
        align="end"
        className="w-64"
        trigger={
          <Button ref={trigger} pending={switching} className="max-w-56 min-w-0 shrink!">
            {!switching && <Building2 aria-hidden className="text-muted" />}
            <span className="sr-only">Organisation: </span>
            <span dir="auto" className="min-w-0 truncate">
              {organisation?.name ?? 'None'}
            </span>
            <ChevronsUpDown aria-hidden className="text-subtle" />
          </Button>
        }
      >
        <MenuLabel>Organisations</MenuLabel>
        {organisations.map(({ id, name }) => (
          <MenuItem key={id} checked={id === organisation?.id} onSelect={() => choose(id)}>
            {name}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem icon={Settings} onSelect={() => void navigate(paths.organisation)}>
          Manage organisation
        </MenuItem>
        <MenuItem icon={Plus} onSelect={() => leave(() => setCreating(true))}>
          Create organisation
        </MenuItem>
      </DropdownMenu>
      <GuardedDialog
        open={creating}
        onOpenChange={setCreating}
        title="Create organisation"
        returnTo={trigger}
        description="With components, a status page and members of its own."
      >
        <OrganisationForm
          submitLabel="Create"
          pendingLabel="Creating..."
          layout="end"
          onSubmit={create}
        />
      </GuardedDialog>
      {question}
    </>
  );
}
