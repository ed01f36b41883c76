import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';
import { Day } from './day';
import { entryLines } from './entries';

export function BlogPage() {
  usePageTitle('Blog');
  return (
    <SiteFrame>
      <div className="mx-auto grid max-w-3xl grid-cols-1 gap-10 px-4 py-16 md:px-8 lg:py-24">
        <header className="grid gap-3">
          <h1 className="text-4xl font-semibold tracking-tight text-ink max-sm:text-3xl">Blog</h1>
          <p className="text-lg text-pretty text-muted">
            What is new in Allclear, and why it is built the way it is.
          </p>
        </header>
        <ul className="grid">
          {entryLines.map(({ slug, title, summary, day }) => (
            <li key={slug} className="border-t border-line">
              <Link to={paths.blogEntry(slug)} className="group grid gap-2 rounded-md py-7">
                <Day value={day} />
                <h2 className="text-xl font-semibold text-balance text-ink underline-offset-4 group-hover:underline">
                  {title}
                </h2>
                <span className="line-clamp-3 text-lg text-pretty text-muted">{summary}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </SiteFrame>
  );
}
