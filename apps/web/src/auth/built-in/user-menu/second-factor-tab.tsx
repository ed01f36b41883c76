import { useSignedIn } from '@/auth/built-in/session-context';
import type { Factors, Passkey } from '@/auth/built-in/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { AuthenticatorAppSection } from './authenticator-app-section';
import { FactorSection } from './factor-section';
import { PasskeyNameForm } from './passkey-name-form';
import { PasskeysSection } from './passkeys-section';
import { RecoveryCodesPanel } from './recovery-codes';
import { StepFocus } from './step-focus';
import { TotpEnrolmentForm } from './totp-enrolment-form';
import { useSecondFactors } from './use-second-factors';

interface SecondFactorTabProps {
  /** Called when the user has added a factor and kept the recovery codes. */
  onAdded?: () => void;
}

export function SecondFactorTab({ onAdded }: SecondFactorTabProps) {
  const account = useSecondFactors(onAdded);
  const { data, error, refresh } = account.factors;
  if (data === undefined) {
    return error ? (
      <LoadFailure
        title="The second factors could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    ) : (
      <div aria-busy className="grid gap-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-9" />
      </div>
    );
  }
  return (
    <StepFocus step={account.step}>
      <CurrentStep account={account} factors={data} />
    </StepFocus>
  );
}

interface StepProps {
  account: ReturnType<typeof useSecondFactors>;
  factors: Factors;
}

function CurrentStep({ account, factors }: StepProps) {
  const email = useSignedIn()?.user.email ?? '';
  const { step } = account;
  const cancel = () => account.setStep(null);
  switch (step?.kind) {
    case 'codes':
      return (
        <RecoveryCodesPanel
          codes={step.codes}
          areReplaced={step.areReplaced}
          email={email}
          onDone={account.finish}
        />
      );
    case 'enrolling':
      return (
        <TotpEnrolmentForm
          enrolment={step.enrolment}
          onCancel={cancel}
          onSubmit={({ code }) => account.confirmApp(code)}
        />
      );
    case 'adding-passkey':
      return (
        <PasskeyNameForm
          name={nextName(factors.passkeys)}
          description="Name the passkey after the device or password manager that keeps it. Your browser then asks you to create it."
          submitLabel="Create passkey"
          pendingLabel="Creating passkey..."
          onSubmit={account.addPasskey}
          onCancel={cancel}
        />
      );
    case 'renaming-passkey':
      return (
        <PasskeyNameForm
          name={step.passkey.name}
          description="Name the passkey after the device or password manager that keeps it."
          submitLabel="Rename"
          pendingLabel="Renaming..."
          onSubmit={(name) => account.renamePasskey(step.passkey, name)}
          onCancel={cancel}
        />
      );
    case undefined:
      return <FactorList account={account} factors={factors} />;
  }
}

function FactorList({ account, factors: { totp, passkeys, recoveryCodes } }: StepProps) {
  const ways = useSignedIn()?.ways ?? { password: true, providers: [] };
  const hasFactor = totp !== null || passkeys.length > 0;
  return (
    <div className="grid gap-4">
      {!hasFactor && (
        <p className="text-muted">
          {ways.password
            ? 'With a second factor, somebody who knows your password still cannot sign in.'
            : 'Organisations may require a second factor, which you confirm after signing in.'}
        </p>
      )}
      <div className="grid divide-y divide-line">
        <PasskeysSection
          passkeys={passkeys}
          hasOther={totp !== null}
          ways={ways}
          onAdd={() => account.setStep({ kind: 'adding-passkey' })}
          onRename={(passkey) => account.setStep({ kind: 'renaming-passkey', passkey })}
          onRemove={account.removePasskey}
        />
        <AuthenticatorAppSection
          app={totp}
          hasPasskeys={passkeys.length > 0}
          ways={ways}
          onAdd={account.enrolApp}
          onRemove={account.removeApp}
        />
        {hasFactor && (
          <FactorSection
            title="Recovery codes"
            description={leftOf(recoveryCodes)}
            action={
              <ConfirmButton
                button={(ask) => <Button onClick={ask}>New recovery codes</Button>}
                title="Make new recovery codes?"
                description="The codes you have stop working, and your other sessions end."
                confirmLabel="Make new codes"
                onConfirm={account.replaceCodes}
              />
            }
          />
        )}
      </div>
    </div>
  );
}

/** A name that no passkey of the account has. */
function nextName(passkeys: readonly Passkey[]): string {
  const taken = new Set(passkeys.map(({ name }) => name));
  if (!taken.has('Passkey')) return 'Passkey';
  let number = 2;
  while (taken.has(`Passkey ${number}`)) number += 1;
  return `Passkey ${number}`;
}

function leftOf(codes: number): string {
  if (codes === 0) return 'None is left. Make new ones.';
  return codes === 1 ? '1 is left' : `${codes} are left`;
}
