import { ApiProvider } from '@/api/api-provider';
import type { Reauthenticate } from '@/api/client';
import type { AuthOrganisation } from '@/auth/auth';
import { Button } from '@/ui/button';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { FactorProof, FactorsFailure, hasFactor } from './factor-proof';
import { withToast } from './form/with-toast';
import { useSession, useSignedIn } from './session-context';
import type { Factors } from './types';
import { useOwnFactors } from './use-own-factors';
import { SecondFactorTab } from './user-menu/second-factor-tab';

interface FactorRequiredProps {
  reauthenticate: Reauthenticate;
}

/**
 * Asks a user whose organisation requires a second factor to use or add one. Requests wait
 * until then.
 */
export function FactorRequiredDialog({ reauthenticate }: FactorRequiredProps) {
  const session = useSignedIn();
  if (!session?.needsFactor || session.organisation === null) return null;
  return (
    <FactorDialog
      organisation={session.organisation}
      organisations={session.organisations}
      reauthenticate={reauthenticate}
    />
  );
}

interface FactorDialogProps extends FactorRequiredProps {
  organisation: AuthOrganisation;
  /** All organisations of the user. */
  organisations: AuthOrganisation[];
}

function FactorDialog({ organisation, organisations, reauthenticate }: FactorDialogProps) {
  const { refresh, switchTo, signOut } = useSession();
  const { factors, failure, retry } = useOwnFactors();
  const { leave, question } = useConfirmLeave();
  if (factors === undefined && failure === undefined) return null;
  const others = organisations.filter(({ id }) => id !== organisation.id);

  return (
    <GuardedDialog
      open
      title={titleOf(factors)}
      description={`${organisation.name} requires a second factor of its members.`}
    >
      {failure !== undefined && <FactorsFailure reason={failure} onRetry={retry} />}
      {factors && (
        // These requests belong to the user, who gets no token for the organisation yet.
        <ApiProvider getToken={() => Promise.resolve(null)} reauthenticate={reauthenticate}>
          {hasFactor(factors) ? (
            <FactorProof factors={factors} onDone={refresh} />
          ) : (
            <SecondFactorTab onAdded={() => void refresh()} />
          )}
        </ApiProvider>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {others.map(({ id, name }) => (
          <Button
            key={id}
            variant="ghost"
            onClick={() => leave(() => void withToast(() => switchTo(id)))}
          >
            Switch to {name}
          </Button>
        ))}
        <Button variant="ghost" onClick={() => leave(() => void withToast(signOut))}>
          Sign out
        </Button>
      </div>
      {question}
    </GuardedDialog>
  );
}

function titleOf(factors: Factors | undefined): string {
  if (factors === undefined) return 'A second factor is required';
  return hasFactor(factors) ? 'Confirm your second factor' : 'Add a second factor';
}
