import type { Dashboard } from '@/api/types';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { tones } from '@/ui/tone';
import { Nothing, Section } from './section';

const number = new Intl.NumberFormat('en');

/** The subscribers, and what could not be delivered to them. */
export function SubscribersCard({
  subscribers,
  deliveries,
}: Pick<Dashboard, 'subscribers' | 'deliveries'>) {
  return (
    <Section title="Subscribers" link={{ to: paths.subscribers, text: 'All subscribers' }}>
      {subscribers.total === 0 ? (
        <Nothing to={paths.subscribers} action="Add subscribers">
          Nobody gets mails yet.
        </Nothing>
      ) : (
        <>
          <dl className="grid grid-cols-3 gap-3 p-4">
            <Count label="Subscribed" value={subscribers.subscribed} />
            <Count label="Pending" value={subscribers.pending} />
            <Count label="In total" value={subscribers.total} />
          </dl>
          <dl className="grid gap-1.5 border-t border-line px-4 py-3 text-sm">
            <Line label="Mails that wait to be sent" value={deliveries.waiting} />
            <Line
              label="Mails that could not be delivered, last 30 days"
              value={deliveries.failed}
              alarming
            />
            <Line label="Subscribers whom they concern" value={subscribers.failing} alarming />
          </dl>
        </>
      )}
    </Section>
  );
}

function Count({ label, value }: { label: string; value: number }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-xl font-semibold text-ink tabular-nums">{number.format(value)}</dd>
    </div>
  );
}

function Line({ label, value, alarming }: { label: string; value: number; alarming?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-muted">{label}</dt>
      <dd
        className={cn(
          'font-medium tabular-nums',
          alarming && value > 0 ? tones.major.text : 'text-ink',
        )}
      >
        {number.format(value)}
      </dd>
    </div>
  );
}
