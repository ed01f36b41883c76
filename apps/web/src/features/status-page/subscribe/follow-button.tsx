import type { PublicIncident } from '@/api/types';
import { useSubscribe } from './subscribe-context';

/**
 * Opens the dialog for one incident. The first script presses the one that the address names.
 * Nothing if visitors may not subscribe.
 */
export function FollowButton({ incident }: { incident: PublicIncident }) {
  const { state, open } = useSubscribe();
  return (
    state.organisation.channels.length > 0 && (
      <button
        id={incident.code}
        className="button"
        data-script="needed"
        aria-haspopup="dialog"
        aria-label={`Follow this incident: ${incident.title}`}
        onClick={() => open({ incident })}
      >
        Follow this incident
      </button>
    )
  );
}
