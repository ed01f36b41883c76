import { BookOpen, Network, Rocket, Settings2, type LucideIcon } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { anchors } from '@/site/entries';
import { Section } from './section';

interface Guide {
  icon: LucideIcon;
  title: string;
  text: string;
  to: string;
}

const guides: readonly Guide[] = [
  {
    icon: Rocket,
    title: 'Quick start',
    text: 'From a clean machine to your first status page.',
    to: paths.guide('quick-start'),
  },
  {
    icon: Settings2,
    title: 'Configuration',
    text: 'Every setting, what it does and its default.',
    to: paths.guide('configuration'),
  },
  {
    icon: BookOpen,
    title: 'Operating',
    text: 'Proxies, backups, upgrades, and what to watch.',
    to: paths.guide('operating'),
  },
  {
    icon: Network,
    title: 'Many nodes',
    text: 'PostgreSQL, Redis, a load balancer, and any node may stop.',
    to: paths.guide('many-nodes'),
  },
];

export function Documentation() {
  return (
    <Section
      id={anchors.documentation}
      title="Documentation"
      lead={
        <>
          The guides come with the software, so what you read belongs to the version you run.{' '}
          <Link className="text-accent underline underline-offset-4" to={paths.documentation}>
            All of them
          </Link>
        </>
      }
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {guides.map(({ icon: Icon, title, text, to }) => (
          <li key={title}>
            <Link
              to={to}
              className="grid h-full content-start gap-2 rounded-xl border border-line bg-surface p-5 shadow-low transition-colors hover:border-line-strong"
            >
              <Icon aria-hidden className="mb-1 size-5 text-accent" />
              <span className="text-lg font-semibold text-ink">{title}</span>
              <span className="text-pretty text-muted">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
