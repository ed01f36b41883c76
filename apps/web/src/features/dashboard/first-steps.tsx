import { Boxes, RadioTower, UsersRound, type LucideIcon } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useMay } from '@/auth/permissions';
import { paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { useKeptFocus } from '@/ui/use-kept-focus';
import { TimeZoneHint } from './time-zone-hint';

interface Step {
  icon: LucideIcon;
  title: string;
  text: string;
  to: string;
  /** Only for users who may write. */
  writes?: boolean;
  /** The server draws the page. */
  outside?: boolean;
}

function stepsOf(organisationId: string): Step[] {
  return [
    {
      icon: Boxes,
      title: 'Create a component',
      text: 'A service that your visitors know, such as a website or an API.',
      to: paths.components.create,
      writes: true,
    },
    {
      icon: RadioTower,
      title: 'Look at the public page',
      text: 'It is open to everybody already, and follows each change at once.',
      to: paths.status(organisationId),
      outside: true,
    },
    {
      icon: UsersRound,
      title: 'Invite your users',
      text: 'They get a mail when something happens or is planned.',
      to: paths.subscribers,
      writes: true,
    },
  ];
}

/** What to do first in an organisation without components. */
export function FirstSteps({ organisationId }: { organisationId: string }) {
  const mayWrite = useMay('write');
  const steps = stepsOf(organisationId).filter(({ writes }) => mayWrite || !writes);
  // The hint goes away when it is followed.
  const keptFocus = useKeptFocus<HTMLElement>();
  return (
    <Card {...keptFocus}>
      <CardHeader
        title="First steps"
        description={
          mayWrite
            ? 'Three steps to a status page that works'
            : 'The organisation has no components yet'
        }
      />
      <CardBody className="grid gap-4">
        <ol className="grid gap-3 md:grid-cols-3">
          {steps.map((step, index) => (
            <li key={step.title}>
              <Link
                to={step.to}
                reloadDocument={step.outside ?? false}
                className="group grid h-full content-start gap-2 rounded-md border border-line bg-raised p-4 transition-colors hover:bg-hover"
              >
                <span className="flex items-center gap-2 text-muted">
                  <span className="grid size-6 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent tabular-nums">
                    {index + 1}
                  </span>
                  <step.icon aria-hidden className="size-4" />
                </span>
                <span className="font-semibold text-ink underline-offset-4 group-hover:underline">
                  {step.title}
                </span>
                <span className="text-sm text-muted">{step.text}</span>
              </Link>
            </li>
          ))}
        </ol>
        <TimeZoneHint />
      </CardBody>
    </Card>
  );
}
