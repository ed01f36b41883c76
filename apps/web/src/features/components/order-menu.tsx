import { ArrowDown, ArrowUp } from 'lucide-react';
import { MenuItem } from '@/ui/dropdown-menu';
import { placeBeside, type Item, type Move, type OrderTree } from './order-tree';

interface StepItemsProps {
  tree: OrderTree;
  item: Item;
  onMove: (move: Move) => void;
}

/** The items of a handle's menu, which move a thing by one place without dragging. */
export function StepItems({ tree, item, onMove }: StepItemsProps) {
  const above = placeBeside(tree, item, -1);
  const below = placeBeside(tree, item, 1);
  return (
    <>
      {above && (
        <MenuItem icon={ArrowUp} onSelect={() => onMove({ item, place: above })}>
          Up
        </MenuItem>
      )}
      {below && (
        <MenuItem icon={ArrowDown} onSelect={() => onMove({ item, place: below })}>
          Down
        </MenuItem>
      )}
    </>
  );
}
