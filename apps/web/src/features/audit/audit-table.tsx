import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'react-router-dom';
import type { AuditItem } from '@/api/types';
import { changeText } from '@/items/change';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { IconButton } from '@/ui/icon-button';
import { Timestamp } from '@/ui/timestamp';
import { DifferenceView } from './difference-view';

const cell = 'px-3 py-2.5 align-top text-left max-md:block max-md:px-0 max-md:py-0';

/** The items, each of which can be opened. */
export function AuditTable({ items }: { items: readonly AuditItem[] }) {
  return (
    <div className="rounded-lg border border-line bg-surface shadow-low">
      <table className="w-full text-sm max-md:block">
        <caption className="sr-only">Audit log</caption>
        <thead className="max-md:sr-only">
          <tr className="border-b border-line text-xs text-muted">
            {['Details', 'Time', 'Who', 'What', 'Address'].map((title, column) => (
              <th
                key={title}
                scope="col"
                className={cn(cell, 'font-medium', column === 0 && 'w-10')}
              >
                {column === 0 ? <span className="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        {items.map((item) => (
          <ItemRows key={item.id} item={item} />
        ))}
      </table>
    </div>
  );
}

function ItemRows({ item }: { item: AuditItem }) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const { what, name } = changeText(item);
  const sentence = `${item.actor.name} ${what} ${name ?? ''}`.trim();
  return (
    <tbody className="border-b border-line last:border-0 max-md:block">
      <tr className="max-md:relative max-md:grid max-md:gap-1 max-md:py-3 max-md:pr-4 max-md:pl-12">
        <td className={cn(cell, 'max-md:absolute max-md:top-2 max-md:left-2 md:py-1')}>
          <IconButton
            label={`${isOpen ? 'Hide' : 'Show'} details: ${sentence}`}
            icon={
              <ChevronRight
                aria-hidden
                className={cn('transition-transform', isOpen && 'rotate-90')}
              />
            }
            aria-expanded={isOpen}
            aria-controls={detailsId}
            onClick={() => setOpen(!isOpen)}
          />
        </td>
        <td className={cn(cell, 'text-muted md:w-48')}>
          <Timestamp value={item.createdAt} />
        </td>
        <td className={cn(cell, 'md:w-48')}>
          <bdi className="font-medium wrap-anywhere text-ink">{item.actor.name}</bdi>
        </td>
        <td className={cell}>
          <span className="wrap-anywhere text-muted">
            {what}{' '}
            {name !== undefined && (
              <Link
                to={paths.history(item.target.id)}
                className="rounded-sm font-medium text-ink underline underline-offset-4"
              >
                <bdi>{name}</bdi>
              </Link>
            )}
          </span>
          <code className="mt-0.5 block text-xs text-subtle">{item.action}</code>
        </td>
        <td className={cn(cell, 'wrap-anywhere text-muted md:w-40')}>{item.address}</td>
      </tr>
      <tr id={detailsId} hidden={!isOpen} className="max-md:block max-md:[[hidden]]:hidden">
        <td colSpan={5} className="px-3 pb-4 max-md:block md:pl-14">
          {isOpen && <DifferenceView item={item} />}
        </td>
      </tr>
    </tbody>
  );
}
