import { useField, type FormikHelpers } from 'formik';
import { Send, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { object, string } from 'yup';
import { useApi } from '@/api/api-provider';
import { useList } from '@/api/use-list';
import { useListInParts } from '@/api/use-list-in-parts';
import { AuditLink } from '@/auth/audit-link';
import type { AuthOrganisation } from '@/auth/auth';
import { withToast } from '@/auth/built-in/form/with-toast';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { emailAddress } from '@/auth/built-in/form/validation';
import type { Invitation, Role } from '@/auth/built-in/types';
import { roleNames } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { Field } from '@/ui/field';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { MailNotice } from '@/ui/mail-notice';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePending } from '@/ui/use-pending';
import { OlderPeople, PeopleList, PeopleSkeleton, Person } from './people-list';
import { roleRights, roles, RoleSelect } from './role-select';

export function InvitationsCard({ organisation }: { organisation: AuthOrganisation }) {
  const api = useApi();
  const invitations = useListInParts(
    useList<Invitation>(endpoints.identity.invitations(organisation.id)),
  );
  useErrorToast(invitations.error !== undefined, 'Error while fetching the invitations');

  async function invite(values: InviteValues) {
    await api.post(endpoints.identity.invitations(organisation.id), values);
    toast.success(`Invitation sent to ${values.email}`);
    void invitations.refresh();
  }

  /** The server replaces the earlier invitation of the address. */
  async function sendAgain({ email, role }: Invitation) {
    await withToast(() => invite({ email, role }));
  }

  async function revoke({ id }: Invitation) {
    const path = endpoints.identity.invitation(organisation.id, id);
    await withToast(() => api.delete(path), 'Invitation revoked');
    await invitations.refresh();
  }

  return (
    <Card>
      <CardHeader
        title="Invitations"
        description="A link comes by mail and works once, for seven days."
      />
      <CardBody className="grid gap-4 border-b border-line">
        <MailNotice />
        <InviteForm onSubmit={invite} />
      </CardBody>
      {invitations.rows ? (
        <>
          <InvitationList
            invitations={invitations.rows}
            onSendAgain={sendAgain}
            onRevoke={revoke}
          />
          <OlderPeople label="Older invitations" list={invitations} />
        </>
      ) : invitations.error ? (
        <CardBody>
          <LoadFailure
            title="The invitations could not be loaded"
            reason={invitations.error.message}
            onRetry={invitations.refresh}
          />
        </CardBody>
      ) : (
        <PeopleSkeleton rows={1} />
      )}
    </Card>
  );
}

interface InvitationActions {
  onSendAgain: (invitation: Invitation) => Promise<void>;
  onRevoke: (invitation: Invitation) => Promise<void>;
}

interface InvitationListProps extends InvitationActions {
  invitations: Invitation[];
}

function InvitationList({ invitations, ...actions }: InvitationListProps) {
  if (invitations.length === 0) {
    return <p className="p-4 text-muted">No pending invitations.</p>;
  }
  return (
    <PeopleList label="Pending invitations">
      {invitations.map((invitation) => (
        // The same for an invitation that is sent again, so that its button keeps the focus.
        <InvitationRow key={invitation.email} invitation={invitation} {...actions} />
      ))}
    </PeopleList>
  );
}

interface InvitationRowProps extends InvitationActions {
  invitation: Invitation;
}

function InvitationRow({ invitation, onSendAgain, onRevoke }: InvitationRowProps) {
  const { id, email, role, expiresAt } = invitation;
  const [isSending, run] = usePending();
  return (
    <Person
      name={email}
      detail={
        <>
          {roleNames[role]}, until <Timestamp value={expiresAt} />
        </>
      }
    >
      <AuditLink id={id} iconLabel={`Audit log of the invitation of ${email}`} />
      <IconButton
        label={`Send the invitation of ${email} again`}
        icon={<Send aria-hidden />}
        pending={isSending}
        onClick={() => run(() => onSendAgain(invitation))}
      />
      <ConfirmButton
        button={(ask) => (
          <IconButton
            label={`Revoke the invitation of ${email}`}
            icon={<X aria-hidden />}
            onClick={ask}
          />
        )}
        title="Revoke this invitation?"
        description={`The link that was mailed to ${email} stops working.`}
        confirmLabel="Revoke"
        onConfirm={() => onRevoke(invitation)}
      />
    </Person>
  );
}

interface InviteValues {
  email: string;
  role: Role;
}

const schema = object({
  email: emailAddress,
  role: string<Role>().oneOf(roles, 'Select Any One').required('Select Any One'),
});

interface InviteFormProps {
  onSubmit: (values: InviteValues) => Promise<void>;
}

/** Is ready for the next invitation once one is sent. */
function InviteForm({ onSubmit }: InviteFormProps) {
  const fields = useRef<HTMLDivElement>(null);

  async function submit(values: InviteValues, form: FormikHelpers<InviteValues>) {
    await onSubmit(values);
    form.resetForm();
    fields.current?.querySelector('input')?.focus();
  }

  return (
    <IdentityForm<InviteValues>
      initialValues={{ email: '', role: 'editor' }}
      schema={schema}
      onSubmit={submit}
      submitLabel="Send Invitation"
      pendingLabel="Sending..."
      layout="end"
    >
      <div ref={fields} className="grid gap-4 sm:grid-cols-[1fr_9rem]">
        <TextField name="email" label="Email" type="email" autoComplete="off" />
        <RoleField />
      </div>
      <FormLeaveGuard />
    </IdentityForm>
  );
}

/** The role, and below the row of fields what it may do. */
function RoleField() {
  const [field, { error, touched }] = useField<Role>('role');
  const rightsId = useId();
  return (
    <>
      <Field label="Role" error={touched && error} required>
        {(control) => (
          <RoleSelect
            {...control}
            {...field}
            aria-describedby={`${control['aria-describedby'] ?? ''} ${rightsId}`.trim()}
          />
        )}
      </Field>
      <p id={rightsId} className="text-sm text-muted sm:col-span-full">
        {roleRights[field.value]}
      </p>
    </>
  );
}
