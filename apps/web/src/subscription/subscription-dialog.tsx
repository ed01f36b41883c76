import { useFormikContext, type FormikHelpers } from 'formik';
import { object, type InferType } from 'yup';
import { formErrors } from '@/api/form-errors';
import { answerOr } from '@/api/refusal';
import { emailAddress } from '@/api/rules';
import { Field } from '@/ui/field';
import { FormDialog } from '@/ui/form-dialog';
import { Input } from '@/ui/input';
import { toast } from '@/ui/toast';

const subscriptionSchema = object({ email: emailAddress() });
type SubscriptionValues = InferType<typeof subscriptionSchema>;

interface SubscriptionDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: string;
  submitLabel: string;
  pendingLabel: string;
  /** Whether the address is the reader's own: a browser may fill it in. */
  own?: boolean;
  /** Does it, and tells about success by itself. */
  onSubscribe: (email: string) => Promise<void>;
}

/** Asks for the address that updates are to be mailed to: a visitor's own, or another's that an operator adds. */
export function SubscriptionDialog({
  own = false,
  onSubscribe,
  ...dialog
}: SubscriptionDialogProps) {
  async function subscribe({ email }: SubscriptionValues, form: FormikHelpers<SubscriptionValues>) {
    try {
      await onSubscribe(email.trim());
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error(answerOr('Failed to create subscriber', error));
      return;
    }
    dialog.onOpenChange(false);
  }

  return (
    <FormDialog
      {...dialog}
      initialValues={{ email: '' }}
      validationSchema={subscriptionSchema}
      onSubmit={subscribe}
    >
      <EmailField autoComplete={own ? 'email' : 'off'} />
    </FormDialog>
  );
}

function EmailField({ autoComplete }: { autoComplete: string }) {
  const { touched, errors, getFieldProps } = useFormikContext<SubscriptionValues>();
  return (
    <Field label="Email" required error={touched.email && errors.email}>
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('email')}
          // As an "email" a browser would send letters outside ASCII otherwise than they are typed.
          type="text"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          autoComplete={autoComplete}
          placeholder="name@example.com"
        />
      )}
    </Field>
  );
}
