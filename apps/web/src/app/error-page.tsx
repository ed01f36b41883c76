import { isRouteErrorResponse, Link, useRouteError } from 'react-router-dom';
import { CodeNotLoaded } from '@/api/load-code';
import { paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { Message } from './message';
import { NotLoaded } from './not-loaded';

export function ErrorPage() {
  return (
    <main className="grid min-h-dvh place-content-center">
      <ScreenError />
    </main>
  );
}

/** Replaces a screen that has thrown an error or whose code could not be loaded. */
export function ScreenError() {
  const error = useRouteError();
  // The router keeps the failure of a lazy route.
  if (error instanceof CodeNotLoaded) {
    return <NotLoaded error={error} onRetry={() => window.location.reload()} />;
  }
  return (
    <Message
      title="Unexpected Application Error"
      actions={
        <>
          <Button variant="primary" onClick={() => window.location.reload()}>
            Reload
          </Button>
          <Link to={paths.landing} reloadDocument className={buttonVariants()}>
            Back to Home
          </Link>
        </>
      }
    >
      <p className="max-w-prose text-muted">{messageOf(error)}</p>
    </Message>
  );
}

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : 'The screen could not be shown.';
}
