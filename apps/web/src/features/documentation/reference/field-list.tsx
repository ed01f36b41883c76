import type { Field } from '@build/api-reference';
import { Code } from './code';

interface FieldListProps {
  title: string;
  /** Accessible name of a list without a title. */
  label?: string;
  fields: readonly Field[];
}

export function FieldList({ title, label, fields }: FieldListProps) {
  if (fields.length === 0) return null;
  return (
    <div className="grid grid-cols-1 gap-2">
      {title && <h3 className="font-semibold text-ink">{title}</h3>}
      <Fields fields={fields} label={label ?? title} />
    </div>
  );
}

function Fields({ fields, label }: { fields: readonly Field[]; label: string }) {
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-1 divide-y divide-line rounded-md border border-line"
    >
      {fields.map((field) => (
        <li key={field.name} className="grid grid-cols-1 gap-1 px-3 py-2">
          <p className="flex flex-wrap items-baseline gap-x-2.5">
            <code className="font-mono text-sm font-medium text-ink">{field.name}</code>
            <span className="min-w-0 text-sm wrap-anywhere text-subtle">{field.type}</span>
            {field.isRequired && <span className="text-xs text-partial">required</span>}
          </p>
          {field.description && (
            <p className="text-sm text-pretty text-muted">
              <Code text={field.description} />
            </p>
          )}
          {field.fields.length > 0 && (
            <Fields fields={field.fields} label={`Fields of ${field.name}`} />
          )}
        </li>
      ))}
    </ul>
  );
}
