import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { Person } from '@/auth/built-in/organisation/people-list';
import type { Waiting } from '@/auth/built-in/types';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { IconButton } from '@/ui/icon-button';
import { Timestamp } from '@/ui/timestamp';

interface WaitingRowProps {
  person: Waiting;
  onInvite: (person: Waiting) => Promise<void>;
  onRemove: (person: Waiting) => Promise<void>;
}

export function WaitingRow({ person, onInvite, onRemove }: WaitingRowProps) {
  const [inviting, setInviting] = useState(false);

  async function invite() {
    setInviting(true);
    await onInvite(person);
    setInviting(false);
  }

  return (
    <Person
      name={person.name}
      detail={
        <>
          <span className="block">{person.email}</span>
          <span className="block">
            Since <Timestamp value={person.createdAt} />
          </span>
        </>
      }
    >
      <Button pending={inviting} aria-label={`Invite ${person.name}`} onClick={() => void invite()}>
        {inviting ? 'Inviting...' : 'Invite'}
      </Button>
      <ConfirmButton
        button={(ask) => (
          <IconButton
            label={`Remove ${person.name}`}
            icon={<UserMinus aria-hidden />}
            onClick={ask}
          />
        )}
        title={`Remove ${person.name} from the waitlist?`}
        description="They are not told. They can ask again at the sign-in page."
        confirmLabel="Remove"
        onConfirm={() => onRemove(person)}
      />
    </Person>
  );
}
