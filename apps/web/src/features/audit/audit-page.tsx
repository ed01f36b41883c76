import { Download, ScrollText } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { AuditItem } from '@/api/types';
import { useList, type List } from '@/api/use-list';
import { useListInParts } from '@/api/use-list-in-parts';
import { useMay } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { staleClass } from '@/ui/data-table/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterResult } from '@/ui/filter-result';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { saveFile } from '@/ui/save-file';
import { ShowOlder } from '@/ui/show-older';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { useKeptFocus } from '@/ui/use-kept-focus';
import { usePageTitle } from '@/ui/use-page-title';
import { usePending } from '@/ui/use-pending';
import { AuditFilter } from './audit-filter';
import { AuditTable } from './audit-table';
import { useAuditQuery, type AuditQuery } from './use-audit-query';

const fetchFailed = 'Error while fetching the audit log';
const noItems: AuditItem[] = [];

/** The audit log, for admins. */
export function AuditPage() {
  usePageTitle('Audit Log');
  const isAdmin = useMay('administer');
  return (
    <div className="grid min-w-0 gap-4">
      {isAdmin ? (
        <AuditLog />
      ) : (
        <>
          <PageHeader title="Audit Log" />
          <Alert>Only an admin of the organisation can read the audit log.</Alert>
        </>
      )}
    </div>
  );
}

function AuditLog() {
  const audit = useAuditQuery();
  const list = useList<AuditItem>(endpoints.audit(audit.query));
  useErrorToast(list.error !== undefined, fetchFailed);
  const isFiltered = audit.query.size > 0;
  return (
    <>
      <PageHeader title="Audit Log" actions={<Downloads audit={audit} />} />
      <AuditFilter audit={audit} items={list.rows ?? noItems} />
      <FilterResult list={list} isFiltered={isFiltered} noun="entry" plural="entries" />
      {/* Another selection begins at its newest items. */}
      <Selection key={audit.query.toString()} list={list} isFiltered={isFiltered} />
    </>
  );
}

interface SelectionProps {
  list: List<AuditItem>;
  isFiltered: boolean;
}

function Selection({ list: whole, isFiltered }: SelectionProps) {
  const list = useListInParts(whole);
  const keptFocus = useKeptFocus<HTMLDivElement>();
  return (
    <>
      {list.error && list.rows === undefined ? (
        <LoadFailure
          title="The audit log could not be loaded"
          reason={list.error.message}
          onRetry={list.refresh}
        />
      ) : list.rows === undefined ? (
        <Placeholder />
      ) : list.rows.length === 0 ? (
        <Card>
          <EmptyState icon={ScrollText} title="No entries">
            {isFiltered
              ? 'No entry matches the filter.'
              : 'Changes of the organisation appear here.'}
          </EmptyState>
        </Card>
      ) : (
        <div
          {...keptFocus}
          role="group"
          aria-label="Entries"
          tabIndex={-1}
          className="grid min-w-0 gap-4"
        >
          <div aria-busy={list.isStale} className={cn('min-w-0', list.isStale && staleClass)}>
            <AuditTable items={list.rows} />
          </div>
          <ShowOlder className="justify-self-center" list={list} />
        </div>
      )}
    </>
  );
}

function Downloads({ audit }: { audit: AuditQuery }) {
  return (
    <>
      <DownloadButton audit={audit} format="csv" label="CSV" />
      <DownloadButton audit={audit} format="jsonl" label="JSON Lines" />
    </>
  );
}

interface DownloadButtonProps {
  audit: AuditQuery;
  format: 'csv' | 'jsonl';
  label: string;
}

function DownloadButton({ audit, format, label }: DownloadButtonProps) {
  const api = useApi();
  const [isPending, run] = usePending();

  async function save() {
    const query = new URLSearchParams(audit.query);
    query.set('format', format);
    try {
      saveFile(`audit-log.${format}`, await api.download(endpoints.audit(query)));
    } catch (error) {
      toast.error(serverMessageOr('The audit log was not downloaded', error));
    }
  }

  return (
    <Button pending={isPending} onClick={() => run(save)}>
      {!isPending && <Download aria-hidden />} {label}
    </Button>
  );
}

function Placeholder() {
  return (
    <Card className="grid gap-4 p-4" aria-busy>
      <span className="sr-only">Loading...</span>
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} className="h-6 w-full" />
      ))}
    </Card>
  );
}
