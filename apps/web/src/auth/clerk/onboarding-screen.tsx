import { OrganizationList, TaskChooseOrganization, useSession } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { Logo } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';
import { UserMenu } from './user-menu';
import { PanelPlaceholder } from './placeholders';

/** For a signed-in user without an organisation: creates or joins one. */
export function OnboardingScreen() {
  const { session } = useSession();
  usePageTitle('Welcome');

  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] bg-canvas">
      <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-2">
        <Logo />
        <div className="w-48 max-w-1/2">
          <UserMenu />
        </div>
      </header>
      <main className="mx-auto grid w-full max-w-xl content-center justify-items-center gap-6 px-4 py-10">
        <div className="grid gap-1 text-center text-balance">
          <h1 className="text-2xl font-semibold text-ink">Welcome to Allclear</h1>
          <p className="text-muted">
            Everything belongs to an organisation: components, incidents and the status page. Create
            yours, or choose one that you are in or invited to.
          </p>
        </div>
        {session?.currentTask ? (
          <TaskChooseOrganization
            redirectUrlComplete={paths.dashboard}
            fallback={<PanelPlaceholder />}
          />
        ) : (
          <OrganizationList
            hidePersonal
            skipInvitationScreen
            afterSelectOrganizationUrl={paths.dashboard}
            afterCreateOrganizationUrl={paths.dashboard}
            fallback={<PanelPlaceholder />}
          />
        )}
      </main>
    </div>
  );
}
