import { ApiProvider } from '@/api/api-provider';
import type { Reauthenticate } from '@/api/client';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { toast } from '@/ui/toast';
import { FactorProof, hasFactor } from './factor-proof';
import { failureText } from './form/failure-text';
import { useSession } from './session-context';
import { useOwnFactors } from './use-own-factors';
import { SecondFactorTab } from './user-menu/second-factor-tab';

/** Asks a user whose organisation requires a second factor to use or add one. Requests wait until then. */
export function FactorRequiredDialog({ reauthenticate }: { reauthenticate: Reauthenticate }) {
  const { state, refresh, switchTo, signOut } = useSession();
  const factors = useOwnFactors(state.status === 'signed-in' && state.needsFactor);
  if (state.status !== 'signed-in' || !state.needsFactor || state.organisation === null) {
    return null;
  }
  if (factors === undefined) return null;
  const proven = factors !== null && hasFactor(factors) ? factors : null;
  const { organisation, organisations } = state;
  const others = organisations.filter(({ id }) => id !== organisation.id);

  async function act(call: () => Promise<void>) {
    try {
      await call();
    } catch (error) {
      toast.error(failureText(error));
    }
  }

  return (
    <Dialog
      open
      title={proven ? 'Confirm your second factor' : 'Add a second factor'}
      description={`${organisation.name} requires a second factor of its members.`}
    >
      {/* These requests belong to the user, who gets no token for the organisation yet. */}
      <ApiProvider getToken={() => Promise.resolve(null)} reauthenticate={reauthenticate}>
        {proven ? (
          <FactorProof factors={proven} onDone={() => act(refresh)} />
        ) : (
          <SecondFactorTab onAdded={() => void act(refresh)} />
        )}
      </ApiProvider>
      <div className="flex flex-wrap justify-end gap-2">
        {others.map(({ id, name }) => (
          <Button key={id} variant="ghost" onClick={() => void act(() => switchTo(id))}>
            Switch to {name}
          </Button>
        ))}
        <Button variant="ghost" onClick={() => void act(signOut)}>
          Sign out
        </Button>
      </div>
    </Dialog>
  );
}
