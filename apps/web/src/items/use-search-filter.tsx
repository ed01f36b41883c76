import { useMemo, useState } from 'react';
import { limits } from '@/api/text';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import {
  chosen,
  FilterFields,
  FilterSelect,
  labelsOf,
  useFilterQuery,
  type ListFilter,
} from './list-filter';

/** The choices of a status, by their names in the address. */
export type StatusChoices<Item> = Readonly<
  Record<string, { label: string; matches: (item: Item) => boolean }>
>;

/** Returns one choice for each status. */
export function statusChoices<Status extends string>(
  statuses: Record<Status, { label: string }>,
): StatusChoices<{ status: Status }> {
  const choices = Object.entries<{ label: string }>(statuses).map(([status, { label }]) => [
    status.toLowerCase(),
    { label, matches: (item: { status: Status }) => item.status === status },
  ]);
  return Object.fromEntries(choices) as StatusChoices<{ status: Status }>;
}

interface SearchFilter<Item> {
  /** The text of an item that is searched; always the same function. */
  textOf: (item: Item) => string;
  /** Always the same object. */
  statuses: StatusChoices<Item>;
}

/**
 * Filters the loaded items of a list by the words of a text, and by status. The query of the
 * address keeps both: the text once its field is left, because each change is a navigation.
 */
export function useSearchFilter<Item>({ textOf, statuses }: SearchFilter<Item>): ListFilter<Item> {
  const { query: address, choose } = useFilterQuery();
  const status = chosen(address, 'status', statuses);
  const kept = address.get('search') ?? '';
  const [shown, setShown] = useState(kept);
  const [text, setText] = useState(kept);
  if (kept !== shown) {
    setShown(kept);
    setText(kept);
  }
  const search = text.trim();

  const matches = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/);
    const choice = statuses[status];
    return (item: Item) => {
      const found = textOf(item).toLowerCase();
      return words.every((word) => found.includes(word)) && (choice?.matches(item) ?? true);
    };
  }, [search, status, statuses, textOf]);

  const query = new URLSearchParams();
  if (search !== '') query.set('search', search);
  if (status !== '') query.set('status', status);

  return {
    controls: (
      <FilterFields>
        <Field label="Search" className="sm:w-64">
          {(control) => (
            <Input
              {...control}
              type="search"
              maxLength={limits.name}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onBlur={() => search !== kept && choose({ search })}
            />
          )}
        </Field>
        <FilterSelect
          label="Status"
          value={status}
          options={labelsOf(statuses, ({ label }) => label)}
          onChoose={(next) => choose({ search, status: next })}
        />
      </FilterFields>
    ),
    query,
    matches,
  };
}
