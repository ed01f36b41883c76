import type { MouseEvent, ReactNode } from 'react';
import { Alert } from './alert';
import { Button } from './button';

export interface RemoteField {
  label: string;
  value: ReactNode;
}

interface ConflictAlertProps {
  /** As in "This component has changed". */
  noun: string;
  /** The fields that both versions have changed, as they are in the other one. */
  remoteFields: readonly RemoteField[];
  onUseRemote: () => void;
  onKeepMine: () => void;
}

/**
 * Inside a form, shown when the item was changed elsewhere, also by the user's own update of an
 * incident: the user chooses the version of the fields that both have changed.
 */
export function ConflictAlert({ noun, remoteFields, onUseRemote, onKeepMine }: ConflictAlertProps) {
  const andFocusSubmit = (settle: () => void) => (event: MouseEvent<HTMLButtonElement>) => {
    // The pressed button goes away with the alert, and would take the focus with it.
    const submit = event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]');
    settle();
    submit?.focus();
  };
  return (
    <Alert kind="error" title={`This ${noun} has changed since you opened it`}>
      <div className="grid gap-3">
        {remoteFields.length === 0 ? (
          <p>The new version leaves what you typed as it is.</p>
        ) : (
          <>
            <p>The new version differs from what you typed:</p>
            <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr]">
              {remoteFields.map(({ label, value }, place) => (
                // Labels may be names, which several components may have.
                <div key={place} className="contents">
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
          <Button size="sm" onClick={andFocusSubmit(onUseRemote)}>
            Use the New Version
          </Button>
          <Button size="sm" onClick={andFocusSubmit(onKeepMine)}>
            Keep Mine
          </Button>
        </div>
      </div>
    </Alert>
  );
}

/**
 * Shown when a save was rejected because the item was changed elsewhere, in other fields than those
 * that the user has changed.
 */
export function MergedAlert({ noun }: { noun: string }) {
  return (
    <Alert kind="error" title={`This ${noun} has changed since you opened it`}>
      <p>
        Nothing has been saved. The form now shows the new version with what you typed: check it and
        try again.
      </p>
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
