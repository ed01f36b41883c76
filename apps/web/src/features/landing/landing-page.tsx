import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { Logo } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';

export function LandingPage() {
  usePageTitle('Incidents and status pages');
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="mx-auto flex w-full max-w-6xl items-center justify-between gap-4 px-4 py-3 md:px-6">
        <Logo />
        <nav aria-label="Account" className="flex items-center gap-2">
          <Link to={paths.login} className={buttonVariants({ variant: 'ghost' })}>
            Login
          </Link>
          <Link to={paths.login} className={buttonVariants()}>
            Get started
          </Link>
        </nav>
      </header>
      <main className="grid content-center justify-items-center gap-6 px-4 pt-10 pb-32 text-center">
        <h1 className="max-w-3xl text-4xl font-semibold tracking-tight text-balance text-ink max-sm:text-3xl">
          Say what is down, what you do about it, and when it is over
        </h1>
        <p className="max-w-xl text-lg text-pretty text-muted">
          Allclear keeps the components, incidents and maintenance of your organisation, and shows
          them on a live status page. It runs on your own server.
        </p>
        <Link to={paths.login} className={buttonVariants({ variant: 'primary', size: 'lg' })}>
          Start for free
        </Link>
      </main>
    </div>
  );
}
