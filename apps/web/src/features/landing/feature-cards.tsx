import {
  CalendarClock,
  Mail,
  RadioTower,
  ShieldCheck,
  TriangleAlert,
  UsersRound,
  type LucideIcon,
} from 'lucide-react';
import { cn } from '@/ui/cn';
import { tones, type Tone } from '@/ui/tone';
import { Section } from './section';

interface Feature {
  icon: LucideIcon;
  tone: Tone;
  title: string;
  text: string;
}

const features: readonly Feature[] = [
  {
    icon: RadioTower,
    tone: 'operational',
    title: 'Real-time updates',
    text: 'Every open page changes the moment you post. A visitor who was away catches up on what was missed, in order.',
  },
  {
    icon: TriangleAlert,
    tone: 'partial',
    title: 'Incidents with a timeline',
    text: 'Say what happened, which components it affects and what you do about it. They recover by themselves when it is resolved.',
  },
  {
    icon: CalendarClock,
    tone: 'maintenance',
    title: 'Scheduled maintenance',
    text: 'Announce it once. It begins and ends by the clock, with updates for those who watch, and can be completed early.',
  },
  {
    icon: ShieldCheck,
    tone: 'neutral',
    title: 'Role-based access control',
    text: 'Admins decide on members, roles and the organisation; editors run incidents; viewers read. The server holds to it on every call.',
  },
  {
    icon: UsersRound,
    tone: 'neutral',
    title: 'Team management',
    text: 'Invite people by mail or take them from OpenID Connect, with passkeys and second factors. Keep organisations apart from each other.',
  },
  {
    icon: Mail,
    tone: 'neutral',
    title: 'Subscribers on every channel',
    text: 'Visitors choose components, and mail, webhook, Slack, Teams or Discord. One link in every message changes that or ends it.',
  },
];

export function FeatureCards() {
  return (
    <Section
      id="features"
      title="All that an incident asks of you"
      lead="From the first report to the all-clear, without a second tool and without anybody asking whether it is just them."
    >
      <ul className="grid gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-2 lg:grid-cols-3">
        {features.map(({ icon: Icon, tone, title, text }) => (
          <li key={title} className="grid content-start gap-3 bg-surface p-6 lg:p-8">
            <span
              className={cn(
                'grid size-10 place-content-center rounded-lg border',
                tones[tone].badge,
              )}
            >
              <Icon aria-hidden className="size-5" />
            </span>
            <h3 className="text-lg font-semibold text-ink">{title}</h3>
            <p className="text-pretty text-muted">{text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
