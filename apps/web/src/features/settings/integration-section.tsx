import type { ReactNode } from 'react';

interface IntegrationSectionProps {
  title: string;
  description: string;
  children: ReactNode;
}

export function IntegrationSection({ title, description, children }: IntegrationSectionProps) {
  return (
    <section aria-label={title} className="grid min-w-0 gap-4">
      <div>
        <h3 className="font-semibold text-ink">{title}</h3>
        <p className="text-sm text-pretty text-muted">{description}</p>
      </div>
      {children}
    </section>
  );
}
