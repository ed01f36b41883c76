import { Pencil, Trash2 } from 'lucide-react';
import type { Passkey, SignInWays } from '@/auth/built-in/types';
import { useHasPasskeys } from '@/auth/built-in/passkey/passkey-button';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { Timestamp } from '@/ui/timestamp';
import { FactorSection } from './factor-section';
import { withoutFactors } from './without-factors';

interface PasskeysSectionProps {
  passkeys: readonly Passkey[];
  /** Whether the account has another second factor. */
  hasOther: boolean;
  ways: SignInWays;
  onAdd: () => void;
  onRename: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => Promise<void>;
}

/** The passkeys of the account. */
export function PasskeysSection({
  passkeys,
  hasOther,
  ways,
  onAdd,
  onRename,
  onRemove,
}: PasskeysSectionProps) {
  const canAdd = useHasPasskeys();
  if (!canAdd && passkeys.length === 0) return null;
  return (
    <FactorSection
      title="Passkeys"
      description="Sign in with your fingerprint, your face, the lock of your screen or a security key, without your password."
      action={canAdd && <Button onClick={onAdd}>Add passkey</Button>}
    >
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys" className="grid divide-y divide-line">
          {passkeys.map((passkey) => (
            <PasskeyItem
              key={passkey.id}
              passkey={passkey}
              isLast={!hasOther && passkeys.length === 1}
              ways={ways}
              onRename={() => onRename(passkey)}
              onRemove={() => onRemove(passkey)}
            />
          ))}
        </ul>
      )}
    </FactorSection>
  );
}

interface PasskeyItemProps {
  passkey: Passkey;
  isLast: boolean;
  ways: SignInWays;
  onRename: () => void;
  onRemove: () => Promise<void>;
}

function PasskeyItem({ passkey, isLast, ways, onRename, onRemove }: PasskeyItemProps) {
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex items-center gap-1 py-2 first:pt-0 last:pb-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="font-medium break-words text-ink">{name}</p>
        <p className="text-sm text-muted">
          Added <Timestamp value={createdAt} />
        </p>
        <p className="text-sm text-muted">
          {lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Last used <Timestamp value={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      <IconButton
        label={`Rename passkey: ${name}`}
        icon={<Pencil aria-hidden />}
        onClick={onRename}
      />
      <ConfirmButton
        button={(ask) => (
          <IconButton
            label={`Remove passkey: ${name}`}
            icon={<Trash2 aria-hidden />}
            onClick={ask}
          />
        )}
        title="Remove the passkey?"
        description={
          isLast
            ? `Nobody can sign in with “${name}” any more. ${withoutFactors(ways)} The recovery codes stop working, and your other sessions end.`
            : `Nobody can sign in with “${name}” any more, and your other sessions end.`
        }
        confirmLabel="Remove"
        onConfirm={onRemove}
      />
    </li>
  );
}
