import { CopyPlus, Ellipsis, MessageSquarePlus } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import { Permitted } from '@/auth/permitted';
import { paths } from '@/paths';
import { Button } from '@/ui/button';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import type { Maintenance } from './maintenance';

interface MaintenanceActionsProps {
  maintenance: Maintenance;
  /** Opens the dialog of a new update. */
  onRecord: (maintenance: Maintenance, returnTo: RefObject<HTMLElement | null>) => void;
}

/** The menu of a row. */
export function MaintenanceActions({ maintenance, onRecord }: MaintenanceActionsProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const navigate = useNavigate();
  const { id, title } = maintenance;
  return (
    <Permitted>
      <DropdownMenu
        align="end"
        trigger={
          <Button ref={trigger} variant="ghost" size="icon" aria-label={`Actions for ${title}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={MessageSquarePlus} onSelect={() => onRecord(maintenance, trigger)}>
          Record Update
        </MenuItem>
        <MenuItem icon={CopyPlus} onSelect={() => void navigate(paths.schedules.duplicate(id))}>
          Duplicate
        </MenuItem>
      </DropdownMenu>
    </Permitted>
  );
}
