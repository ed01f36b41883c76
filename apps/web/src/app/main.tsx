import '@/styles/index.css';
import '@/styles/fonts.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router-dom';
import type { Navigate } from '@/auth/auth';
import { Identity } from '@/auth/identity';
import { Toaster } from '@/ui/toaster';
import { loadFeatures } from './features';
import { routes } from './routes';
import { Session } from './session';

const navigate: Navigate = (to, options) => router.navigate(to, options);

function App() {
  return (
    <>
      <Identity navigate={navigate}>
        <Session router={router} />
      </Identity>
      <Toaster />
    </>
  );
}

const router = createBrowserRouter(routes, { patchRoutesOnNavigation: loadFeatures });

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
