import { ArrowUpRight } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { anchors } from '@/site/entries';
import { Section } from './section';

const resources = [
  {
    title: 'API reference',
    text: 'Every call with its fields, generated from the server’s own handlers.',
    to: paths.apiReference,
  },
  {
    title: 'Realtime',
    text: 'The socket and the event stream, with programs you can run.',
    to: paths.guide('realtime'),
  },
  {
    title: 'Architecture',
    text: 'One picture, and what happens when an operator changes a component.',
    to: paths.guide('architecture'),
  },
  {
    title: 'Articles',
    text: 'Why it is built the way it is, and what was rejected.',
    to: paths.blog,
  },
] as const;

export function Resources() {
  return (
    <Section
      id={anchors.resources}
      title="Resources"
      lead="For those who build on Allclear, and for those who want to know how it keeps its promises."
    >
      <ul className="grid gap-x-12 lg:grid-cols-2">
        {resources.map(({ title, text, to }) => (
          <li key={title} className="border-t border-line">
            <Link
              to={to}
              className="group flex items-start justify-between gap-6 rounded-md py-5 transition-colors"
            >
              <span className="grid gap-1">
                <span className="text-lg font-semibold text-ink">{title}</span>
                <span className="text-pretty text-muted">{text}</span>
              </span>
              <ArrowUpRight
                aria-hidden
                className="mt-1 size-5 shrink-0 text-subtle transition-transform group-hover:translate-x-0.5 group-hover:-translate-y-0.5 group-hover:text-ink"
              />
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
