import { useState } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { usePending } from '@/ui/use-pending';
import { failureText } from './form/failure-text';
import type { SignInProvider } from './types';

interface ProviderListProps {
  providers: SignInProvider[];
  /** Throws `ApiError`, which the list shows. */
  onChoose: (id: string) => Promise<void>;
}

/** A button for each identity provider. */
export function ProviderList({ providers, onChoose }: ProviderListProps) {
  const [chosen, setChosen] = useState<string>();
  const [isPending, run] = usePending();
  const [failure, setFailure] = useState<string | null>(null);

  async function choose(id: string) {
    setChosen(id);
    setFailure(null);
    try {
      await onChoose(id);
    } catch (error) {
      setFailure(failureText(error));
    }
  }

  return (
    <div className="grid gap-3">
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          size="lg"
          className="w-full"
          pending={isPending && id === chosen}
          onClick={() => run(() => choose(id))}
        >
          <span className="truncate">Continue with {name}</span>
        </Button>
      ))}
    </div>
  );
}

/** The divider between the providers and the password. */
export function OrDivider() {
  return (
    <p className="flex items-center gap-3 text-sm text-muted">
      <span aria-hidden className="h-px flex-1 bg-line" />
      or
      <span aria-hidden className="h-px flex-1 bg-line" />
    </p>
  );
}
