import type { PublicIncident } from '@/api/types';
import { useSubscribe } from './subscribe-context';

/** Opens the dialog for one incident. Nothing if visitors may not subscribe. */
export function FollowButton({ incident }: { incident: PublicIncident }) {
  const { state, open } = useSubscribe();
  if (state.organisation.channels.length === 0) return null;
  return (
    <button
      type="button"
      className="button"
      data-script="needed"
      aria-haspopup="dialog"
      aria-label={`Follow this incident: ${incident.title}`}
      onClick={() => open({ incident })}
    >
      Follow this incident
    </button>
  );
}
