import { SearchX, ServerCrash, type LucideIcon } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { publicPaths } from '@/public-paths';
import { PageFrame } from './page-frame';

/** Shown for an unknown or deleted organisation. */
export function UnknownView() {
  useEffect(() => {
    document.title = 'Status page not found';
  }, []);
  return (
    <AbsentView
      icon={SearchX}
      title="There is no status page here"
      action={
        <a href={publicPaths.landing} className="primary">
          Back to Home
        </a>
      }
    >
      The address may have a typing mistake, or the organisation may have taken its page down.
      Compare it with the link you were given, or ask the organisation for its current one.
    </AbsentView>
  );
}

/** Shown if the snapshot could not be loaded. */
export function FailedView({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <AbsentView
      icon={ServerCrash}
      title="The status could not be loaded"
      action={
        <button type="button" className="primary" onClick={onRetry}>
          Try Again
        </button>
      }
    >
      {message}
    </AbsentView>
  );
}

interface AbsentViewProps {
  icon: LucideIcon;
  title: string;
  action: ReactNode;
  children: ReactNode;
}

function AbsentView({ icon: Icon, title, action, children }: AbsentViewProps) {
  return (
    <PageFrame>
      <div className="absent">
        <Icon aria-hidden />
        <h1>{title}</h1>
        <p>{children}</p>
        {action}
      </div>
    </PageFrame>
  );
}
