import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { isNotInFuture } from '@/api/rules';
import { serverMessageOr } from '@/api/server-message';
import type { ApiKey } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { AuditLink } from '@/auth/audit-link';
import { roleNames } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { DoneButton } from '@/ui/done-button';
import { GuardedDialog } from '@/ui/guarded-dialog';
import { GuideLink } from '@/ui/guide-link';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { SecretField } from '@/ui/secret-field';
import { Skeleton } from '@/ui/skeleton';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { CreateKeyDialog } from './create-key-dialog';

/** The API keys of the organisation: for admins. */
export function ApiKeysCard() {
  const keys = useQuery<ApiKey[]>(endpoints.apiKeys.list);
  const button = useRef<HTMLButtonElement>(null);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  return (
    <Card id="api-keys">
      <CardHeader
        title="API keys"
        description="Scripts and other programs use a key in place of a person’s sign-in."
        actions={
          <>
            <GuideLink guide="automate" topic="API keys" />
            <Button ref={button} size="sm" onClick={() => setCreating(true)}>
              <Plus aria-hidden /> New Key
            </Button>
          </>
        }
      />
      {keys.data ? (
        <KeyList keys={keys.data} onChange={keys.refresh} />
      ) : keys.error ? (
        <CardBody>
          <LoadFailure
            title="The API keys could not be loaded"
            reason={keys.error.message}
            onRetry={keys.refresh}
          />
        </CardBody>
      ) : (
        <CardBody>
          <Skeleton className="h-10" />
        </CardBody>
      )}
      {creating && (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreated(key);
            void keys.refresh();
          }}
        />
      )}
      <GuardedDialog
        open={created !== undefined}
        onOpenChange={(open) => !open && setCreated(undefined)}
        title="Your new API key"
        description="Copy it now. It is not shown again."
        returnTo={button}
      >
        {created !== undefined && <SecretField label="API key" value={created} />}
        <DoneButton />
      </GuardedDialog>
    </Card>
  );
}

interface KeyListProps {
  keys: readonly ApiKey[];
  /** Reads the keys again. */
  onChange: () => Promise<unknown>;
}

function KeyList({ keys, onChange }: KeyListProps) {
  const api = useApi();

  async function revoke({ id }: ApiKey) {
    try {
      await api.delete(endpoints.apiKeys.item(id));
      toast.success('API key revoked');
    } catch (error) {
      toast.error(serverMessageOr('The API key was not revoked', error));
    }
    await onChange();
  }

  if (keys.length === 0) {
    return <p className="p-4 text-muted">The organisation has no API keys.</p>;
  }
  return (
    <ul aria-label="API keys" className="divide-y divide-line">
      {keys.map((key) => (
        <li key={key.id} className="flex items-center gap-3 px-4 py-3">
          <div className="grid min-w-0 flex-1 gap-0.5">
            <p className="flex flex-wrap items-center gap-2 font-medium text-ink">
              <bdi className="min-w-0 wrap-anywhere">{key.name}</bdi>
              <Badge>{roleNames[key.role]}</Badge>
              {isExpired(key) && <Badge tone="major">Expired</Badge>}
            </p>
            <p className="flex flex-wrap gap-x-4 text-sm text-muted">
              <code>{key.prefix}…</code>
              <span>
                Expires: <Timestamp value={key.expiresAt} fallback="never" />
              </span>
              <span>
                Last used: <Timestamp value={key.lastUsedAt} fallback="never" />
              </span>
            </p>
          </div>
          <AuditLink id={key.id} iconLabel={`Audit log of ${key.name}`} />
          <ConfirmButton
            button={(ask) => (
              <IconButton
                label={`Revoke ${key.name}`}
                icon={<Trash2 aria-hidden />}
                onClick={ask}
              />
            )}
            title="Revoke this API key?"
            description={`Programs that use “${key.name}” are refused from then on. This cannot be undone.`}
            confirmLabel="Revoke"
            onConfirm={() => revoke(key)}
          />
        </li>
      ))}
    </ul>
  );
}

function isExpired({ expiresAt }: ApiKey): boolean {
  return expiresAt !== null && isNotInFuture(expiresAt);
}
