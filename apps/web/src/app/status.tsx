import '@/styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readSnapshot } from '@/features/status-page/snapshot';
import { StatusPage } from '@/features/status-page/status-page';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

const [, , orgId = ''] = window.location.pathname.split('/');
const snapshot = readSnapshot(document);
// The development server writes no snapshot into the page: there it is asked for.
const isAskedFor = import.meta.env.DEV && snapshot === null;

createRoot(root).render(
  <StrictMode>
    <StatusPage orgId={orgId} {...(!isAskedFor && { snapshot })} />
  </StrictMode>,
);
