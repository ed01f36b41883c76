import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { OrganisationSettings } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useMay } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';

/** The time zone of a new organisation. */
const initialZone = 'Etc/UTC';

/** Offers the time zone of the browser in place of the initial one. For admins. */
export function TimeZoneHint() {
  const api = useApi();
  const isAdmin = useMay('administer');
  const settings = useQuery<OrganisationSettings>(isAdmin ? endpoints.organisationSettings : null);
  const [isPending, run] = usePending();
  const zone = browserZone();
  if (settings.data?.timeZone !== initialZone || zone === undefined) return null;
  const name = zone.replaceAll('_', ' ');

  async function choose() {
    const based = { ifMatch: settings.etag };
    try {
      await api.patch(endpoints.organisationSettings, { timeZone: zone }, based);
      toast.success(`The time zone is ${name}`);
    } catch (error) {
      toast.error(serverMessageOr('The time zone was not changed', error));
    }
    await settings.refresh().catch(() => undefined);
  }

  return (
    <Alert
      action={
        <Button size="sm" pending={isPending} onClick={() => run(choose)}>
          Use {name}
        </Button>
      }
    >
      Days, uptime and the times in mails are in UTC. You can also change that in Settings.
    </Alert>
  );
}

/** Undefined if the browser does not know its zone, or it is the initial one. */
function browserZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isInitial = zone === initialZone || zone === 'UTC';
  return !isInitial && Intl.supportedValuesOf('timeZone').includes(zone) ? zone : undefined;
}
