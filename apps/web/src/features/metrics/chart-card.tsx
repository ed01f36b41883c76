import { Download, Table2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '@/ui/button';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { cn } from '@/ui/cn';
import { downloadCsv } from './csv';
import type { Series } from './series';

interface ChartCardProps {
  title: string;
  description: string | undefined;
  series: Series;
  /** Name of the file, without its ending. */
  fileName: string;
  /** Replaces the chart if there is nothing to draw. */
  empty?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A chart with its table, which a button shows, and its file. */
export function ChartCard({
  title,
  description,
  series,
  fileName,
  empty,
  children,
  className,
}: ChartCardProps) {
  const [isOpen, setOpen] = useState(false);
  const tableId = useId();
  const isEmpty = Boolean(empty);
  return (
    <Card aria-label={title} className={cn('flex flex-col', className)}>
      <CardHeader
        title={title}
        description={description}
        actions={
          !isEmpty && (
            <>
              <Button
                size="sm"
                aria-label={`${isOpen ? 'Hide' : 'Show'} Table: ${title}`}
                aria-expanded={isOpen}
                aria-controls={tableId}
                onClick={() => setOpen(!isOpen)}
              >
                <Table2 aria-hidden /> {isOpen ? 'Hide Table' : 'Show Table'}
              </Button>
              <Button
                size="sm"
                aria-label={`Download CSV: ${title}`}
                onClick={() => downloadCsv(`${fileName}.csv`, series.file)}
              >
                <Download aria-hidden /> CSV
              </Button>
            </>
          )
        }
      />
      {isEmpty ? (
        empty
      ) : (
        <CardBody className="grid gap-4">
          {children}
          <div id={tableId} hidden={!isOpen}>
            <SeriesTable title={title} series={series} />
          </div>
        </CardBody>
      )}
    </Card>
  );
}

function SeriesTable({ title, series: { head, rows } }: { title: string; series: Series }) {
  return (
    <div className="rounded-md border border-line">
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-b border-line">
            {head.map((text, column) => (
              <th
                key={text}
                scope="col"
                className={cn(
                  'px-3 py-2 text-xs font-medium text-muted',
                  column === 0 ? 'text-left' : 'text-right',
                )}
              >
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ id, cells: [name, ...values] }) => (
            <tr key={id}>
              <th
                scope="row"
                dir="auto"
                className="px-3 py-1.5 text-left font-medium wrap-anywhere text-ink"
              >
                {name}
              </th>
              {values.map((value, column) => (
                <td
                  key={head[column + 1]}
                  className="px-3 py-1.5 text-right whitespace-nowrap text-ink tabular-nums"
                >
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
