import { object, string } from 'yup';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import { invitationToken } from '@/auth/built-in/use-link';

export interface JoinValues {
  link: string;
}

const notALink = 'Paste the link of your invitation';

const schema = object({
  link: string()
    .trim()
    .required(notALink)
    .test('link', notALink, (value) => invitationToken(value) !== null),
});

interface JoinFormProps {
  onSubmit: (values: JoinValues) => Promise<void>;
}

export function JoinForm({ onSubmit }: JoinFormProps) {
  return (
    <IdentityForm
      initialValues={{ link: '' }}
      schema={schema}
      onSubmit={onSubmit}
      submitLabel="Join organisation"
      pendingLabel="Joining..."
      variant="secondary"
    >
      <TextField
        name="link"
        label="Invitation link"
        autoComplete="off"
        description="It came to you by mail."
      />
    </IdentityForm>
  );
}
