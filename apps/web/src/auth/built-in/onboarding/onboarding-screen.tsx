import type { ReactNode } from 'react';
import { object, string } from 'yup';
import { ApiError } from '@/api/error';
import { IdentityForm } from '@/auth/built-in/form/identity-form';
import { TextField } from '@/auth/built-in/form/text-field';
import {
  OrganisationForm,
  useCreateOrganisation,
} from '@/auth/built-in/organisation/organisation-form';
import { useAcceptInvitation } from '@/auth/built-in/use-invitation';
import { invitationToken } from '@/auth/built-in/use-link';
import { UserMenu } from '@/auth/built-in/user-menu/user-menu';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { Logo } from '@/ui/logo';
import { ThemeMenu } from '@/ui/theme-menu';
import { toast } from '@/ui/toast';
import { usePageTitle } from '@/ui/use-page-title';

/** For a signed-in user without an organisation: creates or joins one. */
export function OnboardingScreen() {
  const create = useCreateOrganisation();
  const accept = useAcceptInvitation();
  usePageTitle('Welcome');

  async function join({ link }: JoinValues) {
    const { organisation } = await accept(invitationToken(link) ?? link);
    if (organisation === null) {
      throw new ApiError(422, notToAnOrganisation, [
        { field: 'link', message: notToAnOrganisation },
      ]);
    }
    toast.success(`Welcome to ${organisation.name}`);
  }

  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] bg-canvas">
      <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-2">
        <Logo />
        <div className="flex max-w-1/2 items-center gap-2">
          <ThemeMenu />
          <div className="w-48 min-w-0">
            <UserMenu />
          </div>
        </div>
      </header>
      <main className="mx-auto grid w-full max-w-3xl content-center gap-6 px-4 py-10">
        <div className="grid gap-1">
          <h1 className="text-2xl font-semibold text-ink">Welcome to Allclear</h1>
          <p className="text-muted">
            Everything belongs to an organisation: components, incidents and the status page. Create
            yours, or join one that you are invited to.
          </p>
        </div>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <OptionCard title="Create an organisation">
            <OrganisationForm
              submitLabel="Create organisation"
              pendingLabel="Creating..."
              onSubmit={create}
            />
          </OptionCard>
          <OptionCard title="Join an organisation">
            <JoinForm onSubmit={join} />
          </OptionCard>
        </div>
      </main>
    </div>
  );
}

const notToAnOrganisation = 'This invitation does not lead to an organisation';

function OptionCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <CardHeader title={title} />
      <CardBody>{children}</CardBody>
    </Card>
  );
}

interface JoinValues {
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

function JoinForm({ onSubmit }: JoinFormProps) {
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
