import { Link } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import type { OrganisationSettings } from '@/api/types';
import { AuditLink } from '@/auth/audit-link';
import { useAuth } from '@/auth/auth';
import { useKeptPermission, useMay } from '@/auth/permissions';
import { useEdit } from '@/items/use-edit';
import { endpoints, paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { buttonVariants } from '@/ui/button-variants';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { usePageTitle } from '@/ui/use-page-title';
import { ApiKeysCard } from './api-keys-card';
import { DomainCard } from './domain-card';
import { Integrations } from './integrations-card';
import { SectionNav, type SectionId } from './section-nav';
import { SettingsForm } from './settings-form';

/** The sections of the settings themselves. */
const formSections: readonly SectionId[] = ['general', 'page', 'subscribers', 'domain'];

/** The settings of the organisation: admins change them, others read them. */
export function SettingsPage() {
  usePageTitle('Settings');
  const { state } = useAuth();
  const edit = useEdit<OrganisationSettings>(endpoints.organisationSettings);
  const organisation = state.status === 'signed-in' ? state.organisation : null;
  const isAdmin = useMay('administer');
  // A new key is shown once.
  const showsKeys = useKeptPermission('administer');
  const isLoading = edit.loaded === undefined && edit.error === undefined;
  const hasForm = isLoading || edit.loaded !== undefined;
  const sections: SectionId[] = [
    ...(hasForm ? formSections : []),
    ...(organisation ? (['integrations'] as const) : []),
    'people',
    ...(showsKeys ? (['api-keys'] as const) : []),
    ...(isAdmin ? (['audit-log'] as const) : []),
  ];
  return (
    <div className="mx-auto grid w-full max-w-5xl gap-4" aria-busy={isLoading}>
      <PageHeader
        title="Settings"
        actions={organisation && isAdmin && <AuditLink id={organisation.id} />}
      />
      <div className="grid min-w-0 items-start gap-4 xl:grid-cols-[10rem_minmax(0,1fr)] xl:gap-x-8">
        <SectionNav sections={sections} />
        <div className="grid min-w-0 gap-4">
          {!isAdmin && <Alert>Only an admin of the organisation can change its settings.</Alert>}
          {edit.loaded && edit.newest ? (
            <>
              <SettingsForm edit={edit} loaded={edit.loaded} isAdmin={isAdmin} />
              <DomainCard
                domain={edit.newest.domain}
                pageUrl={edit.newest.url}
                isAdmin={isAdmin}
                onChange={edit.refresh}
              />
            </>
          ) : edit.error ? (
            <LoadFailure
              title="The settings could not be loaded"
              reason={edit.error.message}
              onRetry={edit.retry}
            />
          ) : (
            <Card>
              <CardBody>
                <FormSkeleton fields={['line', 'line', 'line', 'text', 'line']} />
              </CardBody>
            </Card>
          )}
          {/* Not before the settings: they would stand at the top, and move. */}
          {!isLoading && organisation && <Integrations orgId={organisation.id} />}
          {!isLoading && <PeopleCard />}
          {!isLoading && showsKeys && <ApiKeysCard />}
          {!isLoading && isAdmin && <AuditLogCard />}
        </div>
      </div>
    </div>
  );
}

function PeopleCard() {
  const { identityProvider } = useConfiguration();
  return (
    <Card id="people">
      <CardHeader
        title="People"
        actions={
          <Link to={paths.organisation} className={buttonVariants({ size: 'sm' })}>
            Open Organisation
          </Link>
        }
      />
      <CardBody>
        <p className="text-sm text-muted">
          {identityProvider === 'built-in'
            ? 'Members and their roles, invitations, and whether a second factor is required.'
            : 'Members and their roles, and invitations.'}
        </p>
      </CardBody>
    </Card>
  );
}

function AuditLogCard() {
  return (
    <Card id="audit-log">
      <CardHeader
        title="Audit log"
        actions={
          <Link to={paths.audit} className={buttonVariants({ size: 'sm' })}>
            Open Audit Log
          </Link>
        }
      />
      <CardBody>
        <p className="text-sm text-muted">
          Lists every change of the organisation and every sign-in, with its author and address.
        </p>
      </CardBody>
    </Card>
  );
}
