import { Download, Eye, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import { listPath } from '@/api/use-list';
import { Permitted } from '@/auth/permitted';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import { saveFile } from '@/ui/save-file';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';
import { ImportDialog } from './import-dialog';
import { PreviewDialog } from './preview-dialog';

interface SubscribersMenuProps {
  /** Selects the subscribers of the list; empty for all. */
  query: URLSearchParams;
}

/** The actions for all subscribers. */
export function SubscribersMenu({ query }: SubscribersMenuProps) {
  const api = useApi();
  const trigger = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'import' | 'preview'>();
  const [isExporting, run] = usePending();
  const onOpenChange = (next: boolean) => !next && setOpen(undefined);

  async function save() {
    try {
      const path = listPath(endpoints.subscribers.export, query);
      saveFile('subscribers.csv', await api.download(path));
    } catch (error) {
      toast.error(serverMessageOr('The subscribers were not exported', error));
    }
  }

  const moreButton = (
    <Button ref={trigger} pending={isExporting}>
      More
    </Button>
  );
  return (
    <>
      <DropdownMenu align="end" trigger={moreButton}>
        <Permitted>
          <MenuItem icon={Upload} onSelect={() => setOpen('import')}>
            Import
          </MenuItem>
          <MenuItem icon={Download} onSelect={() => run(save)}>
            {query.size > 0 ? 'Export filtered mail addresses' : 'Export mail addresses'}
          </MenuItem>
        </Permitted>
        <MenuItem icon={Eye} onSelect={() => setOpen('preview')}>
          Message previews
        </MenuItem>
      </DropdownMenu>
      <ImportDialog open={open === 'import'} onOpenChange={onOpenChange} returnTo={trigger} />
      <PreviewDialog open={open === 'preview'} onOpenChange={onOpenChange} returnTo={trigger} />
    </>
  );
}
