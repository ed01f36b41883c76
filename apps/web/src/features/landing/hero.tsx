import { Link } from 'react-router-dom';
import { StartLink } from '@/auth/start-link';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { ProductShot } from './product-shot';

export function Hero() {
  return (
    <div className="relative isolate overflow-hidden">
      <div aria-hidden className="landing-dawn absolute inset-0 -z-10" />
      <div className="mx-auto grid max-w-7xl grid-cols-1 justify-items-center gap-14 px-4 pt-16 md:px-8 md:pt-24">
        <div className="grid justify-items-center gap-6 text-center">
          <h1 className="max-w-4xl text-display font-semibold tracking-tighter text-balance text-ink">
            When something breaks, be first to say so
          </h1>
          <p className="max-w-2xl text-xl text-pretty text-muted max-sm:text-lg">
            Allclear keeps your components, incidents and maintenance, and shows them on a status
            page that changes the second you post. One binary on your own server, still standing
            when everything else is down.
          </p>
          <div className="flex flex-wrap justify-center gap-3 pt-2">
            <StartLink variant="primary" size="lg">
              Start for free
            </StartLink>
            <Link to={paths.guide('quick-start')} className={buttonVariants({ size: 'lg' })}>
              Read the quick start
            </Link>
          </div>
        </div>
        <div className="relative w-full max-w-6xl max-md:max-h-110 max-md:overflow-hidden max-md:pt-1 md:pr-[10%]">
          <ProductShot
            name="status-page"
            alt="A status page: two of six components affected, and an incident whose timeline tells what is done about it"
            eager
            className="rounded-b-none! border-b-0 max-md:hidden"
          />
          <ProductShot
            name="status-page-phone"
            alt="The same status page on a phone"
            eager
            className="mx-auto w-4/5! rounded-b-none! border-b-0 md:absolute md:-right-1 md:bottom-0 md:w-[22%]!"
          />
        </div>
      </div>
    </div>
  );
}
