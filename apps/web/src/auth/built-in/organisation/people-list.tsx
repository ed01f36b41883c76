import type { ComponentProps, ReactNode } from 'react';
import { Avatar } from '@/ui/avatar';
import { cn } from '@/ui/cn';
import { ShowOlder } from '@/ui/show-older';
import { Skeleton } from '@/ui/skeleton';
import { useKeptFocus } from '@/ui/use-kept-focus';

interface PeopleListProps {
  label: string;
  children: ReactNode;
}

export function PeopleList({ label, children }: PeopleListProps) {
  return (
    <ul aria-label={label} tabIndex={-1} className="divide-y divide-line">
      {children}
    </ul>
  );
}

interface OlderPeopleProps extends Pick<ComponentProps<typeof ShowOlder>, 'list'> {
  label: string;
}

/** The button below a list that shows older rows. The group takes its focus when it goes away. */
export function OlderPeople({ label, list }: OlderPeopleProps) {
  const keptFocus = useKeptFocus<HTMLDivElement>();
  return (
    <div
      {...keptFocus}
      role="group"
      aria-label={label}
      tabIndex={-1}
      className={cn(list.hasOlder && 'border-t border-line p-4')}
    >
      <ShowOlder size="sm" list={list} />
    </div>
  );
}

interface PersonProps {
  name: string;
  mark?: ReactNode;
  /** The second line. */
  detail: ReactNode;
  /** What can be done about them. */
  children?: ReactNode;
}

export function Person({ name, mark, detail, children }: PersonProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <Avatar name={name} className="size-8!" />
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium text-ink">
          <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
          {mark}
        </p>
        <p className="text-sm wrap-anywhere text-muted">{detail}</p>
      </div>
      {children && <div className="flex items-center gap-2">{children}</div>}
    </li>
  );
}

/** As high as the rows that will stand here. */
export function PeopleSkeleton({ rows = 2 }: { rows?: number }) {
  return (
    <div aria-busy className="divide-y divide-line">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex items-center gap-3 px-4 py-3">
          <Skeleton className="size-8! rounded-full!" />
          <div className="grid flex-1 gap-1.5 py-1">
            <Skeleton className="w-40" />
            <Skeleton className="h-3! w-56" />
          </div>
        </div>
      ))}
    </div>
  );
}
