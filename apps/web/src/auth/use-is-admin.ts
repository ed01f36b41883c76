import { useAuth } from './auth';

/** Whether the signed-in person is an admin of the organisation. */
export function useIsAdmin(): boolean {
  const { state } = useAuth();
  return state.status === 'signed-in' && state.organisation?.role === 'admin';
}
