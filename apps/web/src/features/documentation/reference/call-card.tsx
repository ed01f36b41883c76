import { LockKeyhole } from 'lucide-react';
import { cn } from '@/ui/cn';
import { type Tone, tones } from '@/ui/tone';
import type { Call } from '@build/api-reference';
import { Code } from './code';
import { FieldList } from './field-list';

/** An endpoint, folded to one line; opened, its request and responses. */
export function CallCard({ call }: { call: Call }) {
  return (
    <details
      id={call.id}
      className="group scroll-mt-4 overflow-hidden rounded-lg border border-line bg-surface shadow-low"
    >
      <summary className="grid cursor-pointer list-none gap-1 px-4 py-3 transition-colors hover:bg-hover focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Method name={call.method} />
          <code className="min-w-0 font-mono text-sm wrap-anywhere text-ink">{call.path}</code>
          {call.credential && (
            <span className="inline-flex items-center gap-1 text-xs text-subtle">
              <LockKeyhole aria-hidden className="size-3.5" /> Needs a {call.credential}
            </span>
          )}
        </span>
        <span className="text-pretty text-muted">
          <Code text={call.summary} />
        </span>
      </summary>
      <div className="grid grid-cols-1 gap-6 border-t border-line px-4 py-5">
        {call.description && (
          <p className="text-pretty text-muted">
            <Code text={call.description} />
          </p>
        )}
        <FieldList title="Parameters" fields={call.parameters} />
        <FieldList title="Body" fields={call.body} />
        {call.responses.map(({ status, description, fields }) => (
          <div key={status} className="grid grid-cols-1 gap-2">
            <h3 className="font-semibold text-ink">
              Response <span className="font-mono text-operational">{status}</span>
            </h3>
            {description && (
              <p className="text-muted">
                <Code text={description} />
              </p>
            )}
            <FieldList title="" label={`Fields of the response ${status}`} fields={fields} />
          </div>
        ))}
        {call.failures.length > 0 && (
          <p className="text-sm text-muted">
            Failures: <span className="font-mono">{call.failures.join(', ')}</span>
          </p>
        )}
      </div>
    </details>
  );
}

const methodTones: Record<string, Tone> = {
  GET: 'maintenance',
  POST: 'operational',
  PATCH: 'degraded',
  DELETE: 'major',
};

function Method({ name }: { name: string }) {
  return (
    <span
      className={cn(
        'inline-flex w-16 justify-center rounded-sm border py-0.5 font-mono text-xs font-medium',
        tones[methodTones[name] ?? 'neutral'].badge,
      )}
    >
      {name}
    </span>
  );
}
