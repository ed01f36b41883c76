import { CircleCheck, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { Card } from '@/ui/card';
import { Logo } from '@/ui/logo';
import { Spinner } from '@/ui/spinner';
import { usePageTitle } from '@/ui/use-page-title';
import type { Progress } from './use-link-call';

interface LinkPageProps {
  progress: Progress;
  titles: Record<Progress['status'], string>;
  /** What success means for the reader. */
  done: ReactNode;
  doneAction?: ReactNode;
  onRetry: () => void;
}

const icons = {
  running: <Spinner className="size-8! text-muted" />,
  done: <CircleCheck aria-hidden className="size-8 text-operational" />,
  failed: <OctagonX aria-hidden className="size-8 text-major" />,
};

/** How far the work of a mailed link is. */
export function LinkPage({ progress, titles, done, doneAction, onRetry }: LinkPageProps) {
  const title = titles[progress.status];
  usePageTitle(title);
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-6 p-4">
      <Logo />
      <Card className="grid min-h-60 w-[calc(100vw-2rem)] max-w-md content-center justify-items-center gap-4 rounded-xl! p-6 text-center">
        {icons[progress.status]}
        <div aria-live="polite" className="grid gap-1">
          <h1 className="text-xl font-semibold">{title}</h1>
          {progress.status === 'done' && <p className="text-muted">{done}</p>}
          {progress.status === 'failed' && <p className="text-muted">{progress.message}</p>}
        </div>
        {progress.status === 'done' && doneAction}
        {progress.status === 'failed' && (
          <div className="flex flex-wrap justify-center gap-2">
            <Link to={paths.landing} className={buttonVariants()}>
              Go Back
            </Link>
            <Button variant="primary" onClick={onRetry}>
              Try Again
            </Button>
          </div>
        )}
      </Card>
    </main>
  );
}
