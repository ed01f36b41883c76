import '@/styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readSnapshot } from '@/features/status-page/snapshot';
import { StatusPage } from '@/features/status-page/status-page';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

createRoot(root).render(
  <StrictMode>
    <StatusPage snapshot={readSnapshot(document)} />
  </StrictMode>,
);
