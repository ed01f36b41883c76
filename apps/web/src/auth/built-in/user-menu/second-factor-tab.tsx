import { useState } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import { failureText } from '@/auth/built-in/form/failure-text';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { factorCode } from '@/auth/built-in/form/validation';
import { useSignedIn } from '@/auth/built-in/session-context';
import type { Factors, RecoveryCodes, TotpEnrolment } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { CopyField } from '@/ui/copy-field';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { QrCode } from './qr-code';
import { RecoveryCodesPanel } from './recovery-codes';

/** What the tab shows in place of the factors. */
type Step = { kind: 'enrolling'; enrolment: TotpEnrolment } | { kind: 'codes'; codes: string[] };

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

  async function act(call: () => Promise<void>) {
    try {
      await call();
    } catch (error) {
      toast.error(failureText(error));
    } finally {
      await factors.refresh().catch(() => undefined);
    }
  }

  const begin = () =>
    act(async () => {
      const { data } = await api.post<TotpEnrolment>(endpoints.identity.totp);
      setStep({ kind: 'enrolling', enrolment: data });
    });
  const remove = () =>
    act(async () => {
      await api.delete(endpoints.identity.totp);
      toast.success('Authenticator app removed');
    });
  const replaceCodes = () =>
    act(async () => {
      const { data } = await api.post<RecoveryCodes>(endpoints.identity.recoveryCodes);
      setStep({ kind: 'codes', codes: data.recoveryCodes });
    });

  function done() {
    setStep(null);
    onAdded?.();
  }

  async function confirm({ code }: CodeValues) {
    const { data } = await api.post<RecoveryCodes>(endpoints.identity.confirmTotp, { code });
    setStep({ kind: 'codes', codes: data.recoveryCodes });
    await factors.refresh().catch(() => undefined);
  }

  if (step?.kind === 'codes') {
    return <RecoveryCodesPanel codes={step.codes} email={email} onDone={done} />;
  }
  if (step?.kind === 'enrolling') {
    return (
      <EnrolmentForm enrolment={step.enrolment} onCancel={() => setStep(null)} onSubmit={confirm} />
    );
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
  const { totp, recoveryCodes } = factors.data;
  if (totp === null) {
    return (
      <div className="grid gap-4">
        <p className="text-muted">
          With a second factor, somebody who knows your password still cannot sign in. You need an
          authenticator app, such as the one of your password manager or of your phone.
        </p>
        <div className="flex justify-end">
          <Button variant="primary" onClick={() => void begin()}>
            Add authenticator app
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      <dl className="grid gap-3">
        <div>
          <dt className="font-medium text-ink">Authenticator app</dt>
          <dd className="text-sm text-muted">
            Added <Timestamp value={totp.createdAt} />
          </dd>
        </div>
        <div>
          <dt className="font-medium text-ink">Recovery codes</dt>
          <dd className="text-sm text-muted">{leftOf(recoveryCodes)}</dd>
        </div>
      </dl>
      <div className="flex flex-wrap justify-end gap-2">
        <ConfirmButton
          button={(ask) => (
            <Button variant="danger" onClick={ask}>
              Remove app
            </Button>
          )}
          title="Remove the authenticator app?"
          description="Your password alone is enough to sign in then. The recovery codes stop working, and your other sessions end."
          confirmLabel="Remove"
          onConfirm={remove}
        />
        <ConfirmButton
          button={(ask) => <Button onClick={ask}>New recovery codes</Button>}
          title="Make new recovery codes?"
          description="The codes you have stop working, and your other sessions end."
          confirmLabel="Make new codes"
          onConfirm={replaceCodes}
        />
      </div>
    </div>
  );
}

function leftOf(codes: number): string {
  if (codes === 0) return 'None is left. Make new ones.';
  return codes === 1 ? '1 is left' : `${codes} are left`;
}

interface CodeValues {
  code: string;
}

const codeSchema = object({ code: factorCode });

interface EnrolmentFormProps {
  enrolment: TotpEnrolment;
  onCancel: () => void;
  onSubmit: (values: CodeValues) => Promise<void>;
}

function EnrolmentForm({ enrolment, onCancel, onSubmit }: EnrolmentFormProps) {
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Scan the code with your authenticator app, or enter the secret. Then enter the six digits
        that the app shows.
      </p>
      <QrCode label="QR code for your authenticator app" content={enrolment.uri} />
      <CopyField label="Secret" value={enrolment.secret} />
      <IdentityForm
        initialValues={{ code: '' }}
        schema={codeSchema}
        onSubmit={onSubmit}
        submitLabel="Confirm"
        pendingLabel="Confirming..."
        layout="end"
      >
        <TextField name="code" label="Code" autoComplete="one-time-code" />
      </IdentityForm>
      <div className="flex">
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
