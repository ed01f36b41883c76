import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { cn } from './cn';

interface DropdownMenuProps {
  /** The button that opens the menu. */
  trigger: ReactNode;
  /** Whether the menu is open. Without it the trigger opens the menu. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  className?: string;
  /** May move the focus elsewhere than to the trigger. */
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
}

export function DropdownMenu({
  trigger,
  open,
  onOpenChange,
  align = 'start',
  side = 'bottom',
  className,
  onCloseAutoFocus,
  children,
}: DropdownMenuProps) {
  return (
    <Radix.Root
      modal={false}
      {...(open !== undefined && { open })}
      {...(onOpenChange && { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          {...(onCloseAutoFocus && { onCloseAutoFocus })}
          className={cn(
            'z-50 min-w-48 animate-enter rounded-lg bg-raised p-1 shadow-high forced-colors:border',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  icon?: LucideIcon;
  /** Marks the current one of several items. */
  checked?: boolean;
  /** Renders the child, a link, as the item. */
  asChild?: boolean;
  onSelect?: () => void;
  children: ReactNode;
}

const itemClass =
  'flex h-8 w-full items-center gap-2 rounded-md px-2 text-base text-ink select-none focus-visible:-outline-offset-2 data-highlighted:bg-hover pointer-coarse:h-10';

export function MenuItem({
  icon: Icon,
  checked,
  asChild = false,
  onSelect,
  children,
}: MenuItemProps) {
  const props = { className: itemClass, onSelect: () => onSelect?.() };
  if (asChild) {
    return (
      <Radix.Item asChild {...props}>
        {children}
      </Radix.Item>
    );
  }
  const content = (
    <>
      {Icon && <Icon aria-hidden className="size-4 shrink-0 text-muted" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
    </>
  );
  if (checked === undefined) return <Radix.Item {...props}>{content}</Radix.Item>;
  return (
    <Radix.CheckboxItem checked={checked} {...props}>
      {content}
      <Radix.ItemIndicator>
        <Check aria-hidden className="size-4" />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  );
}

interface MenuChoicesProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string; icon: LucideIcon }[];
}

/** Items of which one is selected. */
export function MenuChoices<Value extends string>({
  label,
  value,
  onChange,
  options,
}: MenuChoicesProps<Value>) {
  const id = useId();
  return (
    <Radix.RadioGroup aria-labelledby={id} value={value}>
      <Radix.Label id={id} className={labelClass}>
        {label}
      </Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          className={itemClass}
          onSelect={() => onChange(option.value)}
        >
          <option.icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="size-4" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

const labelClass = 'px-2 py-1.5 text-xs text-subtle';

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className={labelClass}>{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
