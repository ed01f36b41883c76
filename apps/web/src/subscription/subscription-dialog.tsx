import { useFormikContext, type FormikHelpers } from 'formik';
import { object, type InferType } from 'yup';
import { serverMessageOr } from '@/api/server-message';
import { emailAddress } from '@/api/rules';
import { Field } from '@/ui/field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';

const subscriptionSchema = object({ email: emailAddress() });
type SubscriptionValues = InferType<typeof subscriptionSchema>;

interface SubscriptionDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: string;
  submitLabel: string;
  pendingLabel: string;
  /** Whether it is the visitor's own address, which the browser may fill in. */
  own?: boolean;
  /** Subscribes the address and shows the success; throws `ApiError`. */
  onSubscribe: (email: string) => Promise<void>;
}

/** Asks for an address for updates: the visitor's own, or one that an operator adds. */
export function SubscriptionDialog({
  own = false,
  onSubscribe,
  ...dialog
}: SubscriptionDialogProps) {
  async function subscribe({ email }: SubscriptionValues, form: FormikHelpers<SubscriptionValues>) {
    try {
      await onSubscribe(email.trim());
    } catch (error) {
      showFailure(form, error, serverMessageOr('Failed to create subscriber', error));
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
          // With type "email" a browser changes letters outside ASCII.
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
