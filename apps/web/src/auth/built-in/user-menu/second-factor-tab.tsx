import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import { failureText } from '@/auth/built-in/form/failure-text';
import { createPasskey } from '@/auth/built-in/passkey/authenticator';
import { useSignedIn } from '@/auth/built-in/session-context';
import type {
  AddedPasskey,
  ConfirmedTotp,
  Factors,
  Passkey,
  RecoveryCodes,
  TotpEnrolment,
} from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { AuthenticatorAppSection } from './authenticator-app-section';
import { FactorSection } from './factor-section';
import { PasskeyNameForm } from './passkey-name-form';
import { PasskeysSection } from './passkeys-section';
import { RecoveryCodesPanel } from './recovery-codes';
import { StepFocus } from './step-focus';
import { TotpEnrolmentForm, type CodeValues } from './totp-enrolment-form';

/** What the tab shows in place of the factors. */
type Step =
  | { kind: 'enrolling'; enrolment: TotpEnrolment }
  | { kind: 'adding-passkey' }
  | { kind: 'renaming-passkey'; passkey: Passkey }
  | { kind: 'codes'; codes: string[]; areReplaced: boolean };

interface SecondFactorTabProps {
  /** Called when the user has added a factor and kept the recovery codes. */
  onAdded?: () => void;
}

export function SecondFactorTab({ onAdded }: SecondFactorTabProps) {
  const api = useApi();
  const session = useSignedIn();
  const factors = useQuery<Factors>(endpoints.identity.factors);
  const [step, setStep] = useState<Step | null>(null);
  const email = session?.user.email ?? '';
  const ways = session?.ways ?? { password: true, providers: [] };

  const refresh = () => factors.refresh().catch(() => undefined);

  function showCodes(codes: string[]) {
    const before = factors.data?.recoveryCodes ?? 0;
    setStep({ kind: 'codes', codes, areReplaced: before > 0 });
  }

  async function act(call: () => Promise<void>) {
    try {
      await call();
    } catch (error) {
      toast.error(failureText(error));
    } finally {
      await refresh();
    }
  }

  const begin = () =>
    act(async () => {
      const { data } = await api.post<TotpEnrolment>(endpoints.identity.totp);
      setStep({ kind: 'enrolling', enrolment: data });
    });
  const removeApp = () =>
    act(async () => {
      await api.delete(endpoints.identity.totp);
      toast.success('Authenticator app removed');
    });
  const replaceCodes = () =>
    act(async () => {
      const { data } = await api.post<RecoveryCodes>(endpoints.identity.recoveryCodes);
      showCodes(data.recoveryCodes);
    });
  const removePasskey = ({ id }: Passkey) =>
    act(async () => {
      await api.delete(endpoints.identity.passkey(id));
      toast.success('Passkey removed');
    });

  function done() {
    setStep(null);
    onAdded?.();
  }

  /** Shows the recovery codes that came with a factor, if it has brought some. */
  function finish(codes: string[] | null, text: string) {
    if (codes !== null) {
      showCodes(codes);
      return;
    }
    toast.success(text);
    done();
  }

  async function confirm({ code }: CodeValues) {
    const { data } = await api.post<ConfirmedTotp>(endpoints.identity.confirmTotp, { code });
    finish(data.recoveryCodes, 'Authenticator app added');
    await refresh();
  }

  async function addPasskey(name: string) {
    const options = await api.post<PublicKeyCredentialCreationOptionsJSON>(
      endpoints.identity.passkeyOptions,
    );
    const response = await createPasskey(options.data);
    const { data } = await api.post<AddedPasskey>(endpoints.identity.passkeys, { name, response });
    finish(data.recoveryCodes, 'Passkey added');
    await refresh();
  }

  async function renamePasskey({ id }: Passkey, name: string) {
    await api.patch(endpoints.identity.passkey(id), { name });
    setStep(null);
    toast.success('Passkey renamed');
    await refresh();
  }

  if (factors.data === undefined) {
    return factors.error ? (
      <LoadFailure
        title="The second factors could not be loaded"
        reason={factors.error.message}
        onRetry={() => void factors.refresh()}
      />
    ) : (
      <div aria-busy className="grid gap-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-9" />
      </div>
    );
  }
  const { totp, passkeys, recoveryCodes } = factors.data;
  const cancel = () => setStep(null);
  const hasFactor = totp !== null || passkeys.length > 0;
  let content: ReactNode;
  switch (step?.kind) {
    case 'codes':
      content = (
        <RecoveryCodesPanel
          codes={step.codes}
          areReplaced={step.areReplaced}
          email={email}
          onDone={done}
        />
      );
      break;
    case 'enrolling':
      content = (
        <TotpEnrolmentForm enrolment={step.enrolment} onCancel={cancel} onSubmit={confirm} />
      );
      break;
    case 'adding-passkey':
      content = (
        <PasskeyNameForm
          name={nextName(passkeys)}
          description="Name the passkey after the device or password manager that keeps it. Your browser then asks you to create it."
          submitLabel="Create passkey"
          pendingLabel="Creating passkey..."
          onSubmit={addPasskey}
          onCancel={cancel}
        />
      );
      break;
    case 'renaming-passkey':
      content = (
        <PasskeyNameForm
          name={step.passkey.name}
          description="Name the passkey after the device or password manager that keeps it."
          submitLabel="Rename"
          pendingLabel="Renaming..."
          onSubmit={(name) => renamePasskey(step.passkey, name)}
          onCancel={cancel}
        />
      );
      break;
    case undefined:
      content = (
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
              onAdd={() => setStep({ kind: 'adding-passkey' })}
              onRename={(passkey) => setStep({ kind: 'renaming-passkey', passkey })}
              onRemove={removePasskey}
            />
            <AuthenticatorAppSection
              app={totp}
              hasPasskeys={passkeys.length > 0}
              ways={ways}
              onAdd={begin}
              onRemove={removeApp}
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
                    onConfirm={replaceCodes}
                  />
                }
              />
            )}
          </div>
        </div>
      );
  }
  return <StepFocus step={step}>{content}</StepFocus>;
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
