import type { ReactNode } from 'react';
import { Alert } from './alert';
import { Button } from './button';

export interface RemoteField {
  label: string;
  value: ReactNode;
}

interface ConflictAlertProps {
  /** As in "This component has changed". */
  noun: string;
  /** Fields whose values differ from the form. */
  remoteFields: readonly RemoteField[];
  onUseRemote: () => void;
  onKeepMine: () => void;
}

/** Shown when the item was changed elsewhere, also by the user's own update of an incident: the user chooses a version, and loses none. */
export function ConflictAlert({ noun, remoteFields, onUseRemote, onKeepMine }: ConflictAlertProps) {
  return (
    <Alert kind="error" title={`This ${noun} has changed since you opened it`}>
      <div className="grid gap-3">
        {remoteFields.length === 0 ? (
          <p>The new version says the same as yours.</p>
        ) : (
          <>
            <p>Nothing has been saved. The new version says:</p>
            <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr]">
              {remoteFields.map(({ label, value }) => (
                <div key={label} className="contents">
                  <dt className="text-muted">{label}</dt>
                  <dd dir="auto" className="min-w-0 font-medium wrap-anywhere whitespace-pre-line">
                    {value}
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={onUseRemote}>
            Use the new version
          </Button>
          <Button size="sm" onClick={onKeepMine}>
            Keep mine
          </Button>
        </div>
      </div>
    </Alert>
  );
}

/** Shown when another user has deleted what a form edits. The typed text stays. */
export function DeletedAlert({ noun }: { noun: string }) {
  return (
    <Alert kind="error" title={`This ${noun} was deleted since you opened it`}>
      <p>It cannot be saved any more. Copy what you still need before you leave.</p>
    </Alert>
  );
}
