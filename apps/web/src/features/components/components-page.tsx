import { Plus } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { Component } from '@/api/types';
import { useList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { DataTable } from '@/ui/data-table/data-table';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { componentColumns } from './component-columns';
import { DeleteComponents } from './delete-components';

const fetchFailed = 'Error while fetching components';

export function ComponentsPage() {
  usePageTitle('Components');
  const list = useList<Component>(calls.components.list);
  useErrorToast(list.error !== undefined, fetchFailed);

  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader
        title="Components"
        actions={
          <Link to={paths.components.create} className={buttonVariants({ variant: 'primary' })}>
            <Plus aria-hidden /> New Component
          </Link>
        }
      />
      {list.error && list.rows === undefined ? (
        <LoadFailure
          title={fetchFailed}
          reason={list.error.message}
          onRetry={() => void list.refresh()}
        />
      ) : (
        <DataTable
          label="Components"
          columns={componentColumns}
          rows={list.rows}
          getRowId={(component) => component.id}
          rowLabel={(component) => component.name}
          emptyHint="Add what your status page should speak of: a website, an API, a region."
          bulkActions={(selected, clear) => (
            <DeleteComponents components={selected} onDeleted={clear} />
          )}
          footer={
            list.hasOlder && (
              <Button size="sm" pending={list.isLoadingOlder} onClick={list.showOlder}>
                Show older
              </Button>
            )
          }
        />
      )}
    </div>
  );
}
