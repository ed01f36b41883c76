import { Outlet, ScrollRestoration, useNavigation } from 'react-router-dom';
import { LeaveGuard } from '@/ui/leave-guard';

export function Root() {
  const isNavigating = useNavigation().state !== 'idle';
  return (
    <>
      {isNavigating && <NavigationProgress />}
      <Outlet />
      <LeaveGuard />
      <ScrollRestoration />
    </>
  );
}

/** A line at the top while a screen's code loads; invisible during the first 200 ms. */
function NavigationProgress() {
  return (
    <div
      role="progressbar"
      aria-label="Loading"
      className="fixed inset-x-0 top-0 z-60 h-0.5 animate-appear bg-accent [animation-delay:200ms] [animation-fill-mode:backwards]"
    />
  );
}
