import type { Dashboard } from '@/api/types';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { formatNumber } from '@/ui/format';
import { tones } from '@/ui/tone';
import { EmptySection, Section } from './section';
import { UnsentMessages } from './unsent-messages';

/** The subscribers, and the messages that they did not get. */
export function SubscribersCard({
  subscribers,
  deliveries,
}: Pick<Dashboard, 'subscribers' | 'deliveries'>) {
  const unsubscribed = subscribers.total - subscribers.subscribed - subscribers.pending;
  return (
    <Section title="Subscribers" viewAll={paths.subscribers}>
      {subscribers.total === 0 ? (
        <EmptySection to={paths.subscribers} action="Add the first one">
          Nobody gets updates yet.
        </EmptySection>
      ) : (
        <>
          <dl className="grid grid-cols-3 gap-3 p-4">
            <Count label="Subscribed" value={subscribers.subscribed} to={inState('subscribed')} />
            <Count label="Pending" value={subscribers.pending} to={inState('pending')} />
            <Count label="Unsubscribed" value={unsubscribed} to={inState('unsubscribed')} />
          </dl>
          <dl className="grid gap-1.5 border-t border-line px-4 py-3 text-sm">
            <Line label="Queued messages" value={deliveries.waiting} to={paths.subscribers} />
            <Line
              label="Messages that failed, last 30 days"
              value={deliveries.failed}
              alarming
              to={paths.subscribers}
            />
            <Line
              label="Unreachable addresses"
              value={subscribers.failing}
              alarming
              to={inState('failing')}
            />
          </dl>
          {deliveries.waiting + deliveries.failed > 0 && <UnsentMessages />}
        </>
      )}
    </Section>
  );
}

/** The list of the subscribers in a state. */
const inState = (state: string) => `${paths.subscribers}?state=${state}`;

interface CountProps {
  label: string;
  value: number;
  /** The screen that shows what is counted. */
  to: string;
}

function Count({ label, value, to }: CountProps) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-xl font-semibold text-ink tabular-nums">
        <Figure label={label} value={value} to={to} />
      </dd>
    </div>
  );
}

/** Leads to what it counts. */
function Figure({ label, value, to }: CountProps) {
  const text = formatNumber(value);
  if (value === 0) return text;
  return (
    <Link
      to={to}
      aria-label={`${text} ${label}`}
      className="underline decoration-line-strong underline-offset-4 hover:decoration-current pointer-coarse:-m-2 pointer-coarse:inline-block pointer-coarse:min-w-10 pointer-coarse:p-2"
    >
      {text}
    </Link>
  );
}

interface LineProps extends CountProps {
  /** Whether a number above 0 is a failure. */
  alarming?: boolean;
}

function Line({ label, value, to, alarming = false }: LineProps) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd
        className={cn(
          'font-medium tabular-nums',
          alarming && value > 0 ? tones.major.text : 'text-ink',
        )}
      >
        <Figure label={label} value={value} to={to} />
      </dd>
    </div>
  );
}
