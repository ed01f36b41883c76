import { LogOut } from 'lucide-react';
import { useId } from 'react';
import { useApi } from '@/api/api-provider';
import { serverNow } from '@/api/server-clock';
import { useQuery } from '@/api/use-query';
import { withToast } from '@/auth/built-in/form/with-toast';
import type { ListedSession } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { Timestamp } from '@/ui/timestamp';
import { usePending } from '@/ui/use-pending';

const hour = 3_600_000;

/** The browsers in which the user is signed in. */
export function SessionsTab() {
  const sessions = useQuery<ListedSession[]>(endpoints.identity.sessions);
  const api = useApi();
  const [isPending, run] = usePending();

  async function act(call: () => Promise<unknown>, done: string) {
    await withToast(call, done);
    await sessions.refresh().catch(() => undefined);
  }

  if (sessions.data === undefined) {
    return sessions.error ? (
      <LoadFailure
        title="The sessions could not be loaded"
        reason={sessions.error.message}
        onRetry={sessions.refresh}
      />
    ) : (
      <div aria-busy className="grid gap-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    );
  }
  const others = sessions.data.filter(({ current }) => !current);
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        You are signed in with these browsers. A session ends seven days after its last use, and
        thirty days after its sign-in.
      </p>
      <ul aria-label="Sessions" className="grid divide-y divide-line">
        {sessions.data.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            onEnd={() =>
              act(() => api.delete(endpoints.identity.listedSession(session.id)), 'Session ended')
            }
          />
        ))}
      </ul>
      {others.length > 0 && (
        <div className="flex justify-end">
          <Button
            pending={isPending}
            onClick={() =>
              run(() =>
                act(() => api.delete(endpoints.identity.sessions), 'All other sessions ended'),
              )
            }
          >
            End all other sessions
          </Button>
        </div>
      )}
    </div>
  );
}

function SessionItem({ session, onEnd }: { session: ListedSession; onEnd: () => Promise<void> }) {
  const device = session.device ?? 'Unknown device';
  const [isPending, run] = usePending();
  const detailsId = useId();
  return (
    <li className="flex items-center gap-3 py-3 first:pt-0 last:pb-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 font-medium text-ink">
          {device} {session.current && <Badge>This session</Badge>}
        </p>
        <p id={detailsId} className="text-sm text-muted">
          Signed in <Timestamp value={session.createdAt} />
          {session.address !== null && ` from ${session.address}`}
        </p>
        <p className="text-sm text-muted">
          <LastUse session={session} />
        </p>
      </div>
      {!session.current && (
        <IconButton
          label={`End session: ${device}`}
          aria-describedby={detailsId}
          icon={<LogOut aria-hidden />}
          pending={isPending}
          onClick={() => run(onEnd)}
        />
      )}
    </li>
  );
}

/** The server stores the time of the last use once an hour, so a newer one is not exact. */
function LastUse({ session }: { session: ListedSession }) {
  if (session.current) return 'In use now';
  if (serverNow().getTime() - Date.parse(session.usedAt) < hour) return 'Last used within the hour';
  return (
    <>
      Last used <Timestamp value={session.usedAt} />
    </>
  );
}
