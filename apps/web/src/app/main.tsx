import '@/styles/index.css';
import '@/styles/fonts.css';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router-dom';
import type { Navigate } from '@/auth/auth';
import { Identity } from '@/auth/identity';
import { Toaster } from '@/ui/toaster';
import { loadFeatures } from './features';
import { routes } from './routes';
import { isMailedLink, MailedLink } from './mailed-link';
import { Session } from './session';

function App({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <Toaster />
    </>
  );
}

/** The pages for signed-in people and for everybody. */
function renderApp(): ReactNode {
  const router = createBrowserRouter(routes, { patchRoutesOnNavigation: loadFeatures });
  const navigate: Navigate = (to, options) => router.navigate(to, options);
  return (
    <Identity navigate={navigate}>
      <Session router={router} />
    </Identity>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <App>{isMailedLink(window.location.pathname) ? <MailedLink /> : renderApp()}</App>
  </StrictMode>,
);
