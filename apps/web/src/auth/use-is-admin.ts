import { useMay } from './permissions';

/** Whether the user is an admin of the organisation. */
export function useIsAdmin(): boolean {
  return useMay('administer');
}
