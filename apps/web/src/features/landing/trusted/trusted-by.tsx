import { trustedMarks } from './marks';

/** What it is built on: nobody is named here as a customer. */
export function TrustedBy() {
  return (
    <section aria-labelledby="trusted-title" className="border-t border-line bg-surface">
      <div className="mx-auto grid max-w-7xl grid-cols-1 justify-items-center gap-7 px-4 py-12 md:px-8">
        <h2 id="trusted-title" className="text-center text-base font-medium text-muted">
          Built on software that is trusted by operators everywhere
        </h2>
        <ul className="flex flex-wrap justify-center gap-x-10 gap-y-5 lg:gap-x-16">
          {trustedMarks.map(({ name, path }) => (
            <li key={name} className="flex items-center gap-2.5 text-subtle">
              <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden className="size-6">
                <path d={path} />
              </svg>
              <span className="text-lg font-semibold tracking-tight">{name}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
