import type { Factors, SignInWays } from '@/auth/built-in/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { Timestamp } from '@/ui/timestamp';
import { usePending } from '@/ui/use-pending';
import { FactorSection } from './factor-section';
import { withoutFactors } from './without-factors';

interface AuthenticatorAppSectionProps {
  /** Null if there is none. */
  app: Factors['totp'];
  hasPasskeys: boolean;
  ways: SignInWays;
  onAdd: () => Promise<void>;
  onRemove: () => Promise<void>;
}

/** The authenticator app of an account, which the user adds and removes. */
export function AuthenticatorAppSection({
  app,
  hasPasskeys,
  ways,
  onAdd,
  onRemove,
}: AuthenticatorAppSectionProps) {
  const [isPending, run] = usePending();
  return app === null ? (
    <FactorSection
      title="Authenticator app"
      description={`Enter a code of an app after ${ways.password ? 'your password' : 'signing in'}, such as the app of your password manager or of your phone.`}
      action={
        <Button pending={isPending} onClick={() => run(onAdd)}>
          Add authenticator app
        </Button>
      }
    />
  ) : (
    <FactorSection
      title="Authenticator app"
      description={
        <>
          Added <Timestamp value={app.createdAt} />
        </>
      }
      action={
        <ConfirmButton
          button={(ask) => (
            <Button variant="danger" onClick={ask}>
              Remove app
            </Button>
          )}
          title="Remove the authenticator app?"
          description={
            hasPasskeys
              ? 'Your passkeys and recovery codes are your second factors then, and your other sessions end.'
              : `${withoutFactors(ways)} The recovery codes stop working, and your other sessions end.`
          }
          confirmLabel="Remove"
          onConfirm={onRemove}
        />
      }
    />
  );
}
