import type { Navigate } from '@/auth/auth';
import { Identity } from '@/auth/identity';
import { Toaster } from '@/ui/toaster';
import { router } from './router';
import { Session } from './session';

const navigate: Navigate = (to, options) => router.navigate(to, options);

export function App() {
  return (
    <>
      <Identity navigate={navigate}>
        <Session router={router} />
      </Identity>
      <Toaster />
    </>
  );
}
