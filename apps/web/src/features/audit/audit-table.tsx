import { ChevronRight } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import type { AuditItem } from '@/api/types';
import { paths } from '@/paths';
import { changeText, deletedTargets, targetPath } from '@/shared-features/audit/change-text';
import { buttonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';
import { IconButton } from '@/ui/icon-button';
import { Timestamp } from '@/ui/timestamp';
import { DifferenceView } from './difference-view';

const cell = 'px-3 align-top text-left stacked:block stacked:p-0!';
const value = `${cell} py-2.5`;

/** The items, each of which can be opened. */
export function AuditTable({ items }: { items: readonly AuditItem[] }) {
  const deleted = useMemo(() => deletedTargets(items), [items]);
  return (
    <div className="@container/narrow rounded-lg border border-line bg-surface shadow-low">
      <table className="w-full text-sm stacked:block">
        <caption className="sr-only">Audit log</caption>
        <thead className="stacked:sr-only">
          <tr className="border-b border-line text-xs text-muted">
            {['Details', 'Time', 'Actor', 'Action', 'Address'].map((title, column) => (
              <th
                key={title}
                scope="col"
                className={cn(value, 'font-medium', column === 0 && 'w-10')}
              >
                {column === 0 ? <span className="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        {items.map((item) => (
          <ItemRows key={item.id} item={item} path={targetPath(item, deleted)} />
        ))}
      </table>
    </div>
  );
}

interface ItemRowsProps {
  item: AuditItem;
  /** The screen of the changed thing; undefined if it has none. */
  path: string | undefined;
}

function ItemRows({ item, path }: ItemRowsProps) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const { who, what, name } = changeText(item);
  const sentence = `${who} ${what} ${name ?? ''}`.trim();
  return (
    <tbody className="border-b border-line last:border-0 stacked:block">
      <tr className="stacked:relative stacked:grid stacked:gap-1 stacked:py-3 stacked:pr-4 stacked:pl-12">
        <td
          className={cn(
            cell,
            'py-1 stacked:absolute stacked:top-1.5 stacked:left-2 stacked:pointer-coarse:top-0.5',
          )}
        >
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
        <td className={cn(value, 'w-48 text-muted stacked:w-auto')}>
          <Timestamp value={item.createdAt} />
        </td>
        <td className={cn(value, 'w-48 stacked:w-auto')}>
          <bdi className="font-medium wrap-anywhere text-ink">{who}</bdi>
        </td>
        <td className={value}>
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
        <td className={cn(value, 'w-40 wrap-anywhere text-muted stacked:w-auto')}>
          {item.address}
        </td>
      </tr>
      <tr id={detailsId} hidden={!isOpen} className="stacked:block stacked:[[hidden]]:hidden">
        <td colSpan={5} className="px-3 pb-4 pl-14 stacked:block stacked:pl-3">
          {isOpen && (
            <DifferenceView item={item}>
              {path !== undefined && (
                <Link
                  to={path}
                  aria-label={`Open: ${name ?? sentence}`}
                  className={buttonVariants({ size: 'sm' })}
                >
                  Open
                </Link>
              )}
            </DifferenceView>
          )}
        </td>
      </tr>
    </tbody>
  );
}
