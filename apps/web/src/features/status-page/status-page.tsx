import type { StatusSnapshot } from '@/api/types';
import { Alert } from '@/ui/alert';
import { StatusBadge } from '@/ui/badge';
import { Logo } from '@/ui/logo';
import { componentStatuses } from '@/ui/statuses';

export function StatusPage({ snapshot }: { snapshot: StatusSnapshot | null }) {
  return (
    <main className="mx-auto grid max-w-3xl gap-6 px-4 py-8">
      <Logo />
      {snapshot === null ? (
        <h1 className="text-2xl font-semibold">There is no such status page</h1>
      ) : (
        <>
          <h1 className="text-2xl font-semibold">{snapshot.organisation.name}</h1>
          {snapshot.banner && (
            <Alert
              kind={snapshot.banner.operational ? 'success' : 'warning'}
              title={snapshot.banner.text}
            />
          )}
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {snapshot.components.map((component) => (
              <li key={component.id} className="flex items-center justify-between gap-4 px-4 py-3">
                <span className="min-w-0">{component.name}</span>
                <StatusBadge {...componentStatuses[component.status]} />
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  );
}
