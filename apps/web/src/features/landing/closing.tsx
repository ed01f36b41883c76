import { StartLink } from '@/auth/start-link';

export function Closing() {
  return (
    <section
      aria-labelledby="closing-title"
      className="relative isolate overflow-hidden border-t border-line"
    >
      <div aria-hidden className="landing-dawn absolute inset-0 -z-10 rotate-180" />
      <div className="mx-auto grid max-w-7xl justify-items-center gap-6 px-4 py-24 text-center md:px-8 lg:py-32">
        <h2
          id="closing-title"
          className="max-w-3xl text-4xl font-semibold tracking-tight text-balance text-ink max-sm:text-3xl"
        >
          The next incident is coming. Let the page be ready before it.
        </h2>
        <p className="max-w-xl text-lg text-pretty text-muted">
          An account, an organisation, your components: that is a status page, and it takes minutes.
        </p>
        <StartLink variant="primary" size="lg">
          Create your status page
        </StartLink>
      </div>
    </section>
  );
}
