import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { SiteFrame } from '@/site/site-frame';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { GuideNavigation } from './guide-navigation';

/** The frame of the guides: their list is beside the text, or folded above it on narrow windows. */
export function DocumentationLayout() {
  const { pathname } = useLocation();
  return (
    <SiteFrame>
      <div className="mx-auto grid max-w-7xl grid-cols-1 px-4 md:px-8 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-12">
        <FoldedNavigation key={pathname} />
        <div className="hidden border-r border-line lg:block">
          <div className="sticky top-15 max-h-[calc(100dvh-3.75rem)] overflow-y-auto py-10 pr-4">
            <GuideNavigation />
          </div>
        </div>
        <div className="min-w-0 py-8 lg:py-12">
          <Outlet />
        </div>
      </div>
    </SiteFrame>
  );
}

function FoldedNavigation() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="border-b border-line py-3 lg:hidden">
      <Button
        variant="ghost"
        aria-expanded={isOpen}
        aria-controls="guides"
        className="-ml-3"
        onClick={() => setOpen(!isOpen)}
      >
        Guides
        <ChevronDown aria-hidden className={cn('transition-transform', isOpen && 'rotate-180')} />
      </Button>
      <div id="guides" hidden={!isOpen} className="pt-3 pb-2">
        <GuideNavigation />
      </div>
    </div>
  );
}
