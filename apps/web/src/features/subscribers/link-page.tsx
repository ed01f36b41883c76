import { CircleCheck, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { StatusSnapshot } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints, paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { Card } from '@/ui/card';
import { Logo } from '@/ui/logo';
import { Spinner } from '@/ui/spinner';
import { usePageTitle } from '@/ui/use-page-title';
import { usePending } from '@/ui/use-pending';
import type { Progress } from './use-link-call';

interface LinkPageProps {
  orgId: string;
  progress: Progress<unknown>;
  titles: Record<Progress<unknown>['status'], string>;
  /** The consequence of success. */
  done: ReactNode;
  doneAction?: ReactNode;
  onRetry: () => Promise<void>;
}

const icons = {
  running: <Spinner className="size-8! text-muted" />,
  done: <CircleCheck aria-hidden className="size-8 text-operational" />,
  failed: <OctagonX aria-hidden className="size-8 text-major" />,
};

/** The page of a mailed link, with the progress of its request. */
export function LinkPage({ orgId, progress, titles, done, doneAction, onRetry }: LinkPageProps) {
  const title = titles[progress.status];
  usePageTitle(title);
  const [isRetrying, run] = usePending();
  const { data: snapshot } = useQuery<StatusSnapshot>(endpoints.status(orgId));
  return (
    <LinkFrame orgId={orgId}>
      <Card className="grid min-h-60 content-center justify-items-center gap-4 rounded-xl! p-6 text-center">
        {icons[progress.status]}
        <div aria-live="polite" className="grid min-w-0 gap-1">
          {/* The line is there before the name, so that nothing moves. */}
          <p dir="auto" className="font-medium wrap-anywhere text-muted">
            {snapshot?.organisation.pageTitle ?? '\u00a0'}
          </p>
          <h1 className="text-xl font-semibold">{title}</h1>
          {progress.status === 'done' && <p className="text-muted">{done}</p>}
          {progress.status === 'failed' && <p className="text-muted">{progress.message}</p>}
        </div>
        {progress.status === 'done' && doneAction}
        {(progress.status === 'failed' || isRetrying) && (
          <div className="flex flex-wrap justify-center gap-2">
            <Link to={paths.landing} className={buttonVariants()}>
              Go Back
            </Link>
            <Button variant="primary" pending={isRetrying} onClick={() => run(onRetry)}>
              {isRetrying ? 'Trying again...' : 'Try Again'}
            </Button>
          </div>
        )}
      </Card>
    </LinkFrame>
  );
}

interface LinkFrameProps {
  orgId: string;
  children: ReactNode;
}

/** The frame of every page that a link in a message leads to. It leads on to the status page. */
export function LinkFrame({ orgId, children }: LinkFrameProps) {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-6 p-4">
      <Logo />
      <div className="grid w-[calc(100vw-2rem)] max-w-md gap-4">
        {children}
        <a href={paths.status(orgId)} className={buttonVariants({ variant: 'ghost' })}>
          View Status Page
        </a>
      </div>
    </main>
  );
}
