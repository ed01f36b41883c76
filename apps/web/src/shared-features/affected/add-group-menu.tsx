import { ChevronDown } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '@/ui/button';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import type { Choice } from './affected';
import type { ChoiceSection } from './component-groups';

interface AddGroupMenuProps {
  /** The groups with the components that are left of each. */
  groups: readonly ChoiceSection[];
  /** Adds components, and returns what then takes the focus. */
  onAdd: (choices: readonly Choice[]) => HTMLElement | null;
}

/** Adds all components of a group that are left. */
export function AddGroupMenu({ groups, onAdd }: AddGroupMenuProps) {
  const added = useRef<HTMLElement>(null);

  function focusAdded(event: Event) {
    if (added.current === null) return;
    event.preventDefault();
    added.current.focus();
    added.current = null;
  }

  return (
    <DropdownMenu
      className="max-h-(--radix-dropdown-menu-content-available-height) max-w-72 overflow-y-auto"
      onCloseAutoFocus={focusAdded}
      trigger={
        <Button disabled={groups.every(({ choices }) => choices.length === 0)}>
          Add Group <ChevronDown aria-hidden />
        </Button>
      }
    >
      {groups.map(
        ({ group, choices }, place) =>
          choices.length > 0 && (
            <MenuItem key={place} onSelect={() => (added.current = onAdd(choices))}>
              All of {group}
            </MenuItem>
          ),
      )}
    </DropdownMenu>
  );
}
