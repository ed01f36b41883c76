import type { ReactNode } from 'react';
import { LogoMark } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';

interface MessageProps {
  title: string;
  actions: ReactNode;
  children: ReactNode;
}

/** The content of a page that replaces a missing or broken screen. */
export function Message({ title, actions, children }: MessageProps) {
  usePageTitle(title);
  return (
    <div className="grid justify-items-center gap-4 px-6 py-16 text-center">
      <LogoMark className="size-10" />
      <h1 className="text-2xl font-semibold">{title}</h1>
      {children}
      <div className="flex flex-wrap justify-center gap-2">{actions}</div>
    </div>
  );
}
