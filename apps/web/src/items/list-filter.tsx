import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';

/** Lists a part of the items. */
export interface ListFilter<Item> {
  /** The fields of the filter. */
  controls: ReactNode;
  /** What is chosen; empty for all items. */
  query: URLSearchParams;
  /**
   * Whether a loaded item matches; always the same function for the same choice. Without it, the
   * server selects the items by `query`.
   */
  matches?: (item: Item) => boolean;
}

/** The labels of choices, by their names in the address. */
export type FilterOptions = Readonly<Record<string, string>>;

/** The fields of a filter, which stand above the list. */
export function FilterFields({ children }: { children: ReactNode }) {
  return (
    <div role="group" aria-label="Filter" className="grid grid-cols-2 gap-3 sm:flex sm:flex-wrap">
      {children}
    </div>
  );
}

interface FilterSelectProps {
  label: string;
  className?: string;
  /** '' for all. One that is no option is an option of its own. */
  value: string;
  options: FilterOptions;
  onChoose: (value: string) => void;
}

export function FilterSelect({ label, className, value, options, onChoose }: FilterSelectProps) {
  return (
    <Field label={label} className={cn('sm:w-44', className)}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChoose(target.value)}>
          <option value="">All</option>
          {value !== '' && !Object.hasOwn(options, value) && <option value={value}>{value}</option>}
          {Object.entries(options).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The query of the address, which keeps what is chosen. */
export function useFilterQuery() {
  const [query, setQuery] = useSearchParams();

  /** Replaces values; '' removes one. */
  function choose(values: Readonly<Record<string, string>>) {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(values)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    setQuery(next, { replace: true, preventScrollReset: true });
  }

  return { query, choose };
}

/** Returns what a query has chosen; '' for a missing or unknown choice. */
export function chosen(
  query: URLSearchParams,
  name: string,
  options: Readonly<Record<string, unknown>>,
): string {
  const value = query.get(name) ?? '';
  return Object.hasOwn(options, value) ? value : '';
}

/** Returns the label of each value. */
export function labelsOf<T>(
  values: Readonly<Record<string, T>>,
  label: (value: T) => string,
): FilterOptions {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, label(value)]));
}
