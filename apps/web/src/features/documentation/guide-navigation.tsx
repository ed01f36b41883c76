import { NavLink } from 'react-router-dom';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { guideGroups } from './guides';

export function GuideNavigation() {
  return (
    <nav aria-label="Guides" className="grid gap-6">
      <ul>
        <GuideLink to={paths.documentation} label="Overview" />
      </ul>
      {guideGroups.map(({ title, id, entries }) => (
        <div key={id} className="grid gap-1.5">
          <p className="px-2.5 text-sm font-semibold text-ink">{title}</p>
          <ul>
            {entries.map((entry) => (
              <GuideLink key={entry.slug} to={paths.guide(entry.slug)} label={entry.title} />
            ))}
            {id === 'build' && <GuideLink to={paths.apiReference} label="API reference" />}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function GuideLink({ to, label }: { to: string; label: string }) {
  return (
    <li>
      <NavLink
        to={to}
        end
        className={({ isActive }) =>
          cn(
            'block rounded-md px-2.5 py-1.5 transition-colors pointer-coarse:py-2.5',
            isActive
              ? 'bg-selected font-medium text-ink'
              : 'text-muted hover:bg-hover hover:text-ink',
          )
        }
      >
        {label}
      </NavLink>
    </li>
  );
}
