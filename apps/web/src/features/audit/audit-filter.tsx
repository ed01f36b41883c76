import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { AuditItem } from '@/api/types';
import { FilterSelect } from '@/items/list-filter';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { firstDay, lastDay } from '@/ui/local-minute';
import { Select } from '@/ui/select';
import { actionsOf } from './actions';
import { useActors } from './use-actors';
import { isDay, type AuditQuery } from './use-audit-query';

const noItems: readonly AuditItem[] = [];

interface AuditFilterProps {
  audit: AuditQuery;
  /** The shown items, whose people and things can be chosen. */
  items: readonly AuditItem[];
}

/** The fields that select items. */
export function AuditFilter({ audit: { value, choose, query }, items }: AuditFilterProps) {
  const { people, things } = useSeenNames(items);
  const actors = withNames(people, useActors());
  const group = useRef<HTMLDivElement>(null);

  function clear() {
    choose({ actorId: '', action: '', targetId: '', from: '', to: '' });
    // The button goes.
    group.current?.focus();
  }

  return (
    <div
      ref={group}
      role="group"
      tabIndex={-1}
      aria-label="Filter"
      // Two columns, where there is room for two days with the larger text of touch screens.
      className="grid grid-cols-[repeat(auto-fit,minmax(10.375rem,1fr))] items-end gap-x-2.5 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-3"
    >
      <FilterSelect
        label="Actor"
        // The pairs of the others share a line on phones.
        className="max-sm:col-span-full"
        value={value('actorId')}
        options={Object.fromEntries(actors)}
        onChoose={(actorId) => choose({ actorId })}
      />
      <Field label="Action" className="sm:w-52">
        {(control) => (
          <Select
            {...control}
            value={value('action')}
            onChange={({ target }) => choose({ action: target.value })}
          >
            <option value="">All</option>
            {Object.entries(actionsOf).map(([group, actions]) => (
              <optgroup key={group} label={group}>
                {Object.entries(actions).map(([action, name]) => (
                  <option key={action} value={action}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <FilterSelect
        label="Target"
        value={value('targetId')}
        options={Object.fromEntries(things)}
        onChoose={(targetId) => choose({ targetId })}
      />
      <DayField label="From" value={value('from')} onChoose={(from) => choose({ from })} />
      <DayField label="To" value={value('to')} onChoose={(to) => choose({ to })} />
      {query.size > 0 && (
        <Button onClick={clear}>
          <X aria-hidden /> Clear
        </Button>
      )}
    </div>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  onChoose: (day: string) => void;
}

/**
 * A day that is applied with Enter or when the focus leaves the field: a typed year passes through
 * other years.
 */
function DayField({ label, value, onChoose }: DayFieldProps) {
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  if (value !== applied) {
    setApplied(value);
    setTyped(value);
  }

  function apply({ validity }: HTMLInputElement) {
    if (typed === value) return;
    // The browser gives a day that is entered in part an empty value.
    if ((typed === '' && !validity.badInput) || isDay(typed)) onChoose(typed);
    else setTyped(value);
  }

  return (
    <Field label={label} className="sm:w-40">
      {(control) => (
        <Input
          {...control}
          type="date"
          // Some browsers draw a day wider than the column.
          className="min-w-0"
          min={firstDay}
          max={lastDay}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={({ target }) => apply(target)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget)}
        />
      )}
    </Field>
  );
}

type Names = ReadonlyMap<string, string>;

const noNames: Names = new Map();

/**
 * Returns the people and things of all items shown so far: a filter must not leave only its
 * own choice.
 */
function useSeenNames(items: readonly AuditItem[]): { people: Names; things: Names } {
  const [{ seen, people, things }, setNames] = useState({
    seen: noItems,
    people: noNames,
    things: noNames,
  });
  if (items !== seen) {
    const actors = items.map(({ actor }) => ({ id: actor.id ?? '', name: actor.name }));
    const targets = items.map(({ target }) => ({ id: target.id, name: target.name ?? '' }));
    setNames({
      seen: items,
      people: withNames(people, actors),
      things: withNames(things, targets),
    });
  }
  return { people, things };
}

/** Adds the first name of each identifier, and sorts by name. */
function withNames(known: Names, found: readonly { id: string; name: string }[]): Names {
  const names = new Map<string, string>();
  for (const { id, name } of found) {
    if (id !== '' && name !== '' && !names.has(id)) names.set(id, name);
  }
  const all = new Map([...known, ...names]);
  return new Map([...all].sort(([, a], [, b]) => a.localeCompare(b)));
}
