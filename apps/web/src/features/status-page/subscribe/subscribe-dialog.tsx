import { useFormikContext, type FormikHelpers } from 'formik';
import { object, string, type InferType } from 'yup';
import { createApiClient } from '@/api/client';
import { ApiError } from '@/api/error';
import { formErrors } from '@/api/form-errors';
import { calls } from '@/paths';
import { Field } from '@/ui/field';
import { FormDialog } from '@/ui/form-dialog';
import { Input } from '@/ui/input';
import { toast } from '@/ui/toast';

const message = 'Invalid email address';
const subscribeSchema = object({ email: string().trim().email(message).required(message) });
type SubscribeInput = InferType<typeof subscribeSchema>;

/** Visitors have no account, so there is no token to send. */
const api = createApiClient(() => Promise.resolve(null));

export interface SubscribeDialogProps {
  orgId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function SubscribeDialog({ orgId, open, onOpenChange }: SubscribeDialogProps) {
  async function subscribe(
    { email }: SubscribeInput,
    { setErrors }: FormikHelpers<SubscribeInput>,
  ) {
    try {
      const answer = await api.post(calls.subscribers.subscribe, { email: email.trim(), orgId });
      if (answer.message) toast.success(answer.message);
    } catch (error) {
      setErrors(formErrors(error));
      const said = error instanceof ApiError && error.isFromServer;
      toast.error(said ? error.message : 'Failed to create subscriber');
      return;
    }
    onOpenChange(false);
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Subscribe Via Email"
      description="You will be told by mail when something happens. A first mail asks you to confirm your address."
      initialValues={{ email: '' }}
      validationSchema={subscribeSchema}
      onSubmit={subscribe}
      submitLabel="Subscribe"
      pendingLabel="Subscribing..."
    >
      <EmailField />
    </FormDialog>
  );
}

function EmailField() {
  const { touched, errors, getFieldProps } = useFormikContext<SubscribeInput>();
  return (
    <Field label="Email" required error={touched.email && errors.email}>
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('email')}
          type="email"
          autoComplete="email"
          placeholder="you@example.com"
        />
      )}
    </Field>
  );
}
