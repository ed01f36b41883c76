import { Link } from 'react-router-dom';

interface ContentsProps {
  sections: readonly { id: string; title: string }[];
}

/** The page's contents, beside it on wide windows. */
export function Contents({ sections }: ContentsProps) {
  if (sections.length < 2) return null;
  return (
    <div className="hidden xl:block">
      <nav
        aria-label="On this page"
        className="sticky top-27 grid max-h-[calc(100dvh-8rem)] gap-2 overflow-y-auto"
      >
        <p className="text-sm font-semibold text-ink">On this page</p>
        <ul className="grid border-l border-line">
          {sections.map(({ id, title }) => (
            <li key={id}>
              <Link
                to={`#${id}`}
                className="-ml-px block border-l border-transparent py-1 pl-3 text-sm text-muted transition-colors hover:border-accent hover:text-ink"
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}
