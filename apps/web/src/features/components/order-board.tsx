import {
  DndContext,
  DragOverlay,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
} from '@dnd-kit/core';
import { useId, useState } from 'react';
import { closestPlace, itemOf, placeOf, stepToPlace } from './order-drag';
import { StepItems } from './order-menu';
import { GroupBlock, MovingCopy } from './order-rows';
import {
  describePosition,
  isAt,
  moveTo,
  type Item,
  type Move,
  type OrderTree,
  type Place,
} from './order-tree';

const pointerOptions = { activationConstraint: { distance: 4 } };
const keyboardOptions = { coordinateGetter: stepToPlace, scrollBehavior: 'auto' } as const;

interface OrderBoardProps {
  tree: OrderTree;
  nameOf: (key: string) => string;
  disabled: boolean;
  onMove: (move: Move) => void;
  onDragging: (isDragging: boolean) => void;
}

/**
 * Groups with their components as a tree, in which everything moves by mouse, touch and keyboard.
 */
export function OrderBoard({ tree, nameOf, disabled, onMove, onDragging }: OrderBoardProps) {
  const instructions = useId();
  const [moving, setMoving] = useState<Item | null>(null);
  const [stepped, setStepped] = useState('');
  const sensors = useSensors(
    useSensor(PointerSensor, pointerOptions),
    useSensor(KeyboardSensor, keyboardOptions),
  );

  function start(item: Item) {
    setMoving(item);
    onDragging(true);
  }

  function end(item: Item, place: Place | undefined) {
    setMoving(null);
    onDragging(false);
    if (place && !isAt(item, place)) onMove({ item, place });
  }

  function step(move: Move) {
    onMove(move);
    const moved = moveTo(tree, move.item, move.place);
    setStepped(nowAt(moved, move.item, nameOf));
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestPlace}
      accessibility={{
        announcements: announcementsOf(tree, nameOf),
        // The paragraph above the tree says it once.
        screenReaderInstructions: { draggable: '' },
      }}
      onDragStart={({ active }) => start(itemOf(active))}
      onDragEnd={({ active, over }) => end(itemOf(active), over ? placeOf(over) : undefined)}
      onDragCancel={({ active }) => end(itemOf(active), undefined)}
    >
      <div role="group" aria-label="Order" aria-describedby={instructions} className="grid gap-4">
        <p id={instructions} className="text-sm text-muted">
          Drag by the handles, or click one to move by one place. By keyboard: Space picks up, the
          arrow keys move, Space drops, Escape cancels.
        </p>
        <p role="status" className="sr-only">
          {stepped}
        </p>
        {tree.map((group, index) => (
          <GroupBlock
            key={group.key}
            group={group}
            previous={tree[index - 1]?.key ?? null}
            isLast={index === tree.length - 1}
            isAlone={tree.length === 1}
            nameOf={nameOf}
            disabled={disabled}
            menuOf={(item) => <StepItems tree={tree} item={item} onMove={step} />}
          />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {moving && <MovingCopy item={moving} name={nameOf(moving.key)} />}
      </DragOverlay>
    </DndContext>
  );
}

function nowAt(order: OrderTree, item: Item, nameOf: (key: string) => string): string {
  return `${nameOf(item.key)} is now ${describePosition(order, item, nameOf)}`;
}

function announcementsOf(tree: OrderTree, nameOf: (key: string) => string): Announcements {
  const positionIn = (order: OrderTree, item: Item) => describePosition(order, item, nameOf);
  return {
    // The first place, which is the item's own, says that it is picked up.
    onDragStart: () => undefined,
    onDragOver: ({ active, over }) => {
      if (!over) return undefined;
      const item = itemOf(active);
      const place = placeOf(over);
      return isAt(item, place)
        ? `${nameOf(item.key)} is picked up, ${positionIn(tree, item)}`
        : nowAt(moveTo(tree, item, place), item, nameOf);
    },
    onDragEnd: ({ active, over }) => {
      const item = itemOf(active);
      const moved = over ? moveTo(tree, item, placeOf(over)) : tree;
      return `${nameOf(item.key)} is dropped, ${positionIn(moved, item)}`;
    },
    onDragCancel: ({ active }) => {
      const item = itemOf(active);
      return `${nameOf(item.key)} is back, ${positionIn(tree, item)}`;
    },
  };
}
