import { Formik, useFormikContext, type FormikHelpers } from 'formik';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { line } from '@/api/text';
import { endpoints } from '@/paths';
import { Field } from '@/ui/field';
import { Form } from '@/ui/form';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';
import { SubmitButton } from '@/ui/submit-button';

const schema = object({ name: line(253).required('Domain is required') });

interface DomainClaimFormProps {
  /** Reads the settings again. */
  onChange: () => Promise<void>;
}

/** Enters a domain, which is verified afterwards. */
export function DomainClaimForm({ onChange }: DomainClaimFormProps) {
  const api = useApi();

  async function claim(values: { name: string }, form: FormikHelpers<{ name: string }>) {
    try {
      await api.put(endpoints.organisationDomain.item, schema.cast(values));
    } catch (error) {
      showFailure(form, error, 'The domain was not added');
      return;
    }
    await onChange();
  }

  return (
    <Formik
      initialValues={{ name: '' }}
      validationSchema={schema}
      onSubmit={claim}
      validateOnBlur={false}
    >
      <Form className="grid gap-4">
        <DomainField />
        <FormFailure />
        <div className="flex justify-end">
          <SubmitButton label="Add Domain" pendingLabel="Adding..." variant="secondary" />
        </div>
      </Form>
    </Formik>
  );
}

function DomainField() {
  const { errors, touched, getFieldProps } = useFormikContext<{ name: string }>();
  return (
    <Field
      label="Domain"
      description="It has to point to this installation. What to enter in the DNS follows."
      error={touched.name && errors.name}
    >
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('name')}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="status.example.com"
        />
      )}
    </Field>
  );
}
