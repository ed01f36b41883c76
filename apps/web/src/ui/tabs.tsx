import { Tabs as Radix } from 'radix-ui';
import { useState, type ReactNode } from 'react';

export interface Tab {
  value: string;
  label: string;
  content: ReactNode;
  /**
   * Keeps the state of this tab while it is closed; `'once-opened'` mounts it when it is
   * opened first.
   */
  keepMounted?: boolean | 'once-opened';
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  /** The initial tab; by default the first one. */
  defaultValue?: string;
}

export function Tabs({ label, tabs, defaultValue = tabs[0]?.value ?? '' }: TabsProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([defaultValue]));
  const stays = (tab: Tab) =>
    tab.keepMounted === 'once-opened' ? opened.has(tab.value) : tab.keepMounted === true;
  return (
    <Radix.Root
      defaultValue={defaultValue}
      onValueChange={(value) => setOpened((before) => new Set(before).add(value))}
      className="grid gap-4"
    >
      <Radix.List aria-label={label} className="flex flex-wrap gap-x-4 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 shrink-0 border-b-2 border-transparent px-1 font-medium whitespace-nowrap text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:h-11"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          className="data-[state=inactive]:hidden"
          {...(stays(tab) && { forceMount: true })}
        >
          {/* Takes the focus from a dialog whose opener in the tab is gone: see return-focus.ts. */}
          <div tabIndex={-1}>{tab.content}</div>
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
