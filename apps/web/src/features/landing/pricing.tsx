import { Check } from 'lucide-react';
import { StartLink } from '@/auth/start-link';
import { anchors } from '@/site/entries';
import { Section } from './section';

const included = [
  'Members, roles and organisations',
  'OpenID Connect, passkeys and second factors',
  'Components, incidents and maintenance',
  'Uptime bars, history, reviews and metrics',
  'Status pages, each on a domain of its own',
  'Event streams, the socket, feeds and badges',
  'Subscribers, mailed through your own mail server',
  'Webhooks, Slack, Microsoft Teams and Discord',
  'API keys, an audit log and the Statuspage API',
  'One node or many, SQLite or PostgreSQL',
  'The source, under the AGPL',
] as const;

export function Pricing() {
  return (
    <Section
      id={anchors.pricing}
      title="Pricing"
      lead="There is one edition, and it is free. You run it: every feature is included, and you set the limits of use."
    >
      <div className="grid gap-8 rounded-xl border border-line bg-surface p-6 shadow-low md:grid-cols-[auto_1fr] md:gap-16 md:p-10">
        <div className="grid content-start gap-5">
          <p className="grid gap-1">
            <span className="text-display leading-none font-semibold tracking-tighter text-ink">
              €0
            </span>
            <span className="text-muted">for everything, for good</span>
          </p>
          <StartLink variant="primary" size="lg">
            Open an account
          </StartLink>
        </div>
        <ul className="grid content-center gap-x-8 gap-y-3 lg:grid-cols-2">
          {included.map((text) => (
            <li key={text} className="flex gap-2.5 text-ink">
              <Check aria-hidden className="mt-0.5 size-4.5 shrink-0 text-operational" />
              {text}
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
