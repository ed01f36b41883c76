import { Identity } from '@/auth/identity';
import { Toaster } from '@/ui/toaster';
import { router } from './router';
import { Session } from './session';

export function App() {
  return (
    <>
      <Identity>
        <Session router={router} />
      </Identity>
      <Toaster />
    </>
  );
}
