import { Formik, useFormikContext, type FormikHelpers } from 'formik';
import { useState, type ReactNode } from 'react';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import { line } from '@/api/text';
import type { OrganisationDomain } from '@/api/types';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { Field } from '@/ui/field';
import { Form } from '@/ui/form';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';

interface DomainCardProps {
  domain: OrganisationDomain | null;
  isAdmin: boolean;
  /** Reads the settings again. */
  onChange: () => Promise<void>;
}

/** The domain of the status page: admins enter, verify and remove it. */
export function DomainCard({ domain, isAdmin, onChange }: DomainCardProps) {
  return (
    <Card>
      <CardHeader
        title="Domain"
        description="Serve the status page at an address of your own."
        actions={domain && <DomainBadge domain={domain} />}
      />
      <CardBody className="grid gap-4">
        {domain ? (
          <ClaimedDomain domain={domain} isAdmin={isAdmin} onChange={onChange} />
        ) : isAdmin ? (
          <ClaimForm onChange={onChange} />
        ) : (
          <p className="text-muted">There is no domain.</p>
        )}
      </CardBody>
    </Card>
  );
}

function DomainBadge({ domain }: { domain: OrganisationDomain }) {
  return domain.status === 'VERIFIED' ? (
    <Badge tone="operational">Verified</Badge>
  ) : (
    <Badge tone="degraded">Pending</Badge>
  );
}

const schema = object({ name: line(253).required('Domain is required') });

function ClaimForm({ onChange }: Pick<DomainCardProps, 'onChange'>) {
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
        <AddButton />
      </Form>
    </Formik>
  );
}

function DomainField() {
  const { errors, touched, getFieldProps } = useFormikContext<{ name: string }>();
  return (
    <Field
      label="Domain"
      description="It has to point to this installation."
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

function AddButton() {
  const { isSubmitting } = useFormikContext();
  return (
    <div className="flex justify-end">
      <Button type="submit" pending={isSubmitting}>
        {isSubmitting ? 'Adding...' : 'Add Domain'}
      </Button>
    </div>
  );
}

interface ClaimedDomainProps extends DomainCardProps {
  domain: OrganisationDomain;
}

function ClaimedDomain({ domain, isAdmin, onChange }: ClaimedDomainProps) {
  const api = useApi();
  const isVerified = domain.status === 'VERIFIED';

  async function remove() {
    try {
      await api.delete(endpoints.organisationDomain.item);
      toast.success(`${domain.name} is removed`);
      await onChange();
    } catch (error) {
      toast.error(serverMessageOr('The domain was not removed', error));
    }
  }

  const removal = (
    <ConfirmButton
      button={(ask) => <Button onClick={ask}>Remove</Button>}
      title={`Remove ${domain.name}?`}
      description={
        isVerified
          ? 'The status page is no longer served there. Links to it in earlier mails end.'
          : 'Its token is no longer valid.'
      }
      confirmLabel="Remove"
      onConfirm={remove}
    />
  );

  return (
    <>
      {isVerified ? (
        <a href={`https://${domain.name}`} className="w-fit font-medium wrap-anywhere underline">
          {domain.name}
        </a>
      ) : (
        <p className="font-medium wrap-anywhere">{domain.name}</p>
      )}
      {isAdmin && !isVerified && (
        <Verification domain={domain} onChange={onChange}>
          {removal}
        </Verification>
      )}
      {isAdmin && isVerified && <div className="flex justify-end">{removal}</div>}
    </>
  );
}

interface VerificationProps extends Pick<ClaimedDomainProps, 'domain' | 'onChange'> {
  /** A button beside the one that verifies. */
  children: ReactNode;
}

function Verification({ domain, onChange, children }: VerificationProps) {
  const api = useApi();
  const [isPending, run] = usePending();
  const [reason, setReason] = useState<string>();

  async function verify() {
    setReason(undefined);
    try {
      await api.post(endpoints.organisationDomain.verify, {});
      toast.success(`${domain.name} is verified`);
      await onChange();
    } catch (error) {
      setReason(serverMessageOr('The domain was not verified', error));
    }
  }

  return (
    <>
      <p className="text-muted">
        Point the domain to this installation. Then <code>{domain.checkUrl}</code> shows this token,
        and you can verify the domain:
      </p>
      <code className="rounded-md border border-line p-2 text-sm wrap-anywhere">
        {domain.token}
      </code>
      {reason && <Alert kind="error">{reason}</Alert>}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button variant="primary" pending={isPending} onClick={() => run(verify)}>
          {isPending ? 'Verifying...' : 'Verify'}
        </Button>
      </div>
    </>
  );
}
