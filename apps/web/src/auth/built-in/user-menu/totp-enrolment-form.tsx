import { object } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { factorCode } from '@/auth/built-in/form/validation';
import type { TotpEnrolment } from '@/auth/built-in/types';
import { CopyField } from '@/ui/copy-field';
import { QrCode } from './qr-code';

interface CodeValues {
  code: string;
}

const codeSchema = object({ code: factorCode });

interface TotpEnrolmentFormProps {
  enrolment: TotpEnrolment;
  onCancel: () => void;
  onSubmit: (values: CodeValues) => Promise<void>;
}

/** Adds an authenticator app. */
export function TotpEnrolmentForm({ enrolment, onCancel, onSubmit }: TotpEnrolmentFormProps) {
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
        onCancel={onCancel}
      >
        <TextField name="code" label="Code" autoComplete="one-time-code" />
      </IdentityForm>
    </div>
  );
}
