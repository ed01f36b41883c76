import { X } from 'lucide-react';
import type { AuditItem } from '@/api/types';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { actionsOf } from './actions';
import type { AuditQuery, FilterName } from './use-audit-query';

interface AuditFilterProps {
  audit: AuditQuery;
  /** The shown items, whose people and things can be chosen. */
  items: readonly AuditItem[];
}

/** The fields that select items. */
export function AuditFilter({ audit: { value, choose, query }, items }: AuditFilterProps) {
  const people = names(items.map(({ actor }) => ({ id: actor.id ?? '', name: actor.name })));
  const things = names(items.map(({ target }) => ({ id: target.id, name: target.name ?? '' })));
  const day = (name: FilterName, label: string) => (
    <Field label={label} className="sm:w-40">
      {(control) => (
        <Input
          {...control}
          type="date"
          value={value(name)}
          onChange={({ target }) => choose({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div
      role="group"
      aria-label="Filter"
      className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap"
    >
      <Choice
        label="Who"
        // The pairs of the others share a line on phones.
        className="max-sm:col-span-2"
        value={value('actorId')}
        options={people}
        onChoose={(actorId) => choose({ actorId })}
      />
      <Field label="What" className="sm:w-52">
        {(control) => (
          <Select
            {...control}
            value={value('action')}
            onChange={({ target }) => choose({ action: target.value })}
          >
            <option value="">All</option>
            {Object.entries(actionsOf).map(([group, actions]) => (
              <optgroup key={group} label={group}>
                {actions.map((action) => (
                  <option key={action}>{action}</option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <Choice
        label="Which"
        value={value('targetId')}
        options={things}
        onChoose={(targetId) => choose({ targetId })}
      />
      {day('from', 'From')}
      {day('to', 'To')}
      {query.size > 0 && (
        <Button onClick={() => choose({ actorId: '', action: '', targetId: '', from: '', to: '' })}>
          <X aria-hidden /> Clear
        </Button>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  className?: string;
  value: string;
  options: ReadonlyMap<string, string>;
  onChoose: (id: string) => void;
}

function Choice({ label, className, value, options, onChoose }: ChoiceProps) {
  return (
    <Field label={label} className={cn('sm:w-44', className)}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChoose(target.value)}>
          <option value="">All</option>
          {value !== '' && !options.has(value) && <option value={value}>{value}</option>}
          {[...options].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The newest name of each identifier, sorted. */
function names(found: readonly { id: string; name: string }[]): Map<string, string> {
  const known = new Map<string, string>();
  for (const { id, name } of found) {
    if (id !== '' && name !== '' && !known.has(id)) known.set(id, name);
  }
  return new Map([...known].sort(([, a], [, b]) => a.localeCompare(b)));
}
