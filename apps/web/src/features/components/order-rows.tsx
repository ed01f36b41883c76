import { useDraggable, useDroppable } from '@dnd-kit/core';
import { GripVertical } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { buttonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';
import { DropdownMenu } from '@/ui/dropdown-menu';
import { noGroup, type OrderGroup, type Item, type Place } from './order-tree';

interface GroupBlockProps {
  group: OrderGroup;
  /** The group above. */
  previous: string | null;
  isLast: boolean;
  /** Without others its components need no heading. */
  isAlone: boolean;
  nameOf: (key: string) => string;
  disabled: boolean;
  /** The items of the menu that a click on a handle opens. */
  menuOf: (item: Item) => ReactNode;
}

/** A group with its components, and the places around them. */
export function GroupBlock({ group, previous, isLast, isAlone, nameOf, ...row }: GroupBlockProps) {
  const { key } = group;
  const name = nameOf(key);
  const places = { kind: 'group', group: null } as const;
  return (
    <section
      aria-label={isAlone ? 'Components' : name}
      className="relative rounded-lg border border-line"
    >
      <DropPlace place={{ ...places, after: previous, before: key }} className="-top-2.25 h-0.5" />
      {!(isAlone && key === noGroup) && (
        <Movable item={{ kind: 'group', key }} name={name} {...row}>
          <h2 dir="auto" className="min-w-0 font-semibold wrap-anywhere text-ink">
            {name}
          </h2>
        </Movable>
      )}
      <ComponentList group={group} nameOf={nameOf} {...row} />
      {isLast && (
        <DropPlace place={{ ...places, after: key, before: null }} className="-bottom-2.25 h-0.5" />
      )}
    </section>
  );
}

function ComponentList({
  group: { key, components },
  nameOf,
  ...row
}: Omit<GroupBlockProps, 'previous' | 'isLast' | 'isAlone'>) {
  const last = components.at(-1) ?? null;
  const end: Place = { kind: 'component', group: key, after: last, before: null };
  if (last === null) {
    return (
      <div className="relative border-line not-first:border-t">
        <p className="px-4 py-3 text-sm text-muted">
          {key === noGroup
            ? 'Drop a component here to take it out of its group.'
            : 'No components. Drop one here.'}
        </p>
        <DropPlace place={end} className="inset-y-1 outline-focus" overClassName="outline-2" />
      </div>
    );
  }
  return (
    <ul className="border-line not-first:border-t">
      {components.map((component, index) => (
        <li key={component} className="relative border-line pl-4 not-first:border-t">
          <DropPlace
            place={{ ...end, after: components[index - 1] ?? null, before: component }}
            className="-top-0.5 h-0.5"
          />
          <Movable item={{ kind: 'component', key: component }} name={nameOf(component)} {...row}>
            <span dir="auto" className="min-w-0 wrap-anywhere text-ink">
              {nameOf(component)}
            </span>
          </Movable>
          {component === last && <DropPlace place={end} className="-bottom-px h-0.5" />}
        </li>
      ))}
    </ul>
  );
}

interface MovableProps extends Pick<GroupBlockProps, 'disabled' | 'menuOf'> {
  item: Item;
  name: string;
  children: ReactNode;
}

/** A row with a handle, by which it is dragged, and which opens a menu when it is clicked. */
function Movable({ item, name, disabled, menuOf, children }: MovableProps) {
  const id = `${item.kind}:${item.key}`;
  const { node, setNodeRef, setActivatorNodeRef, listeners, isDragging } = useDraggable({
    id,
    data: item,
    disabled,
  });
  const [isOpen, setOpen] = useState(false);
  /** Whether the menu was open when the handle was pressed, which closes it. */
  const wasOpen = useRef(false);

  /** In another group an item has another row. */
  function followToNewRow(event: Event) {
    if (node.current?.isConnected) return;
    event.preventDefault();
    document.querySelector<HTMLElement>(`[data-handle="${id}"]`)?.focus();
  }

  return (
    <div
      ref={setNodeRef}
      className={cn('flex items-center gap-2 px-2 py-1.5', isDragging && 'opacity-40')}
    >
      <DropdownMenu
        open={isOpen}
        // The trigger would open the menu when it is pressed, which may begin a drag.
        onOpenChange={(next) => !next && setOpen(false)}
        onCloseAutoFocus={followToNewRow}
        trigger={
          <button
            ref={setActivatorNodeRef}
            type="button"
            data-handle={id}
            aria-label={`Move ${name}`}
            aria-pressed={isDragging || undefined}
            disabled={disabled}
            className={cn(
              buttonVariants({ variant: 'ghost', size: 'icon' }),
              'cursor-grab touch-none',
            )}
            {...listeners}
            onKeyDown={(event) => {
              listeners?.onKeyDown?.(event);
              if (event.key === 'ArrowDown' && !isDragging) setOpen(true);
            }}
            onPointerDownCapture={() => {
              wasOpen.current = isOpen;
            }}
            onClick={() => {
              setOpen(!wasOpen.current);
              wasOpen.current = false;
            }}
          >
            <GripVertical aria-hidden />
          </button>
        }
      >
        {menuOf(item)}
      </DropdownMenu>
      {children}
    </div>
  );
}

interface DropPlaceProps {
  place: Place;
  className: string;
  /** Classes while something would be dropped here. */
  overClassName?: string;
}

/**
 * Where what is dragged may come: a line between two neighbours, or the whole of an empty group.
 */
function DropPlace({ place, className, overClassName = 'bg-focus' }: DropPlaceProps) {
  const { setNodeRef, isOver } = useDroppable({
    id: `${place.kind}:${place.group ?? 'page'}:${place.before ?? 'end'}`,
    data: place,
  });
  return (
    <span
      ref={setNodeRef}
      aria-hidden
      className={cn(
        'pointer-events-none absolute inset-x-1 z-10 rounded-sm',
        className,
        isOver && overClassName,
      )}
    />
  );
}

/** What follows the pointer. */
export function MovingCopy({ item, name }: { item: Item; name: string }) {
  return (
    <div
      className={cn(
        'flex w-max max-w-full cursor-grabbing items-center gap-2 rounded-md border border-line-strong bg-raised px-2 py-1.5 text-ink shadow-high',
        item.kind === 'group' && 'font-semibold',
      )}
    >
      <span className={buttonVariants({ variant: 'ghost', size: 'icon' })}>
        <GripVertical aria-hidden />
      </span>
      <span dir="auto" className="min-w-0 truncate">
        {name}
      </span>
    </div>
  );
}
