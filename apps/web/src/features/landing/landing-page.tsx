import { landingEntries } from '@/site/entries';
import { SiteFrame } from '@/site/site-frame';
import { usePageTitle } from '@/ui/use-page-title';
import './landing.css';
import { Closing } from './closing';
import { Documentation } from './documentation';
import { FeatureCards } from './feature-cards';
import { Hero } from './hero';
import { Preview } from './preview';
import { Pricing } from './pricing';
import { Resources } from './resources';
import { TrustedBy } from './trusted/trusted-by';

export function LandingPage() {
  usePageTitle('Incidents and status pages');
  return (
    <SiteFrame entries={landingEntries}>
      <Hero />
      <TrustedBy />
      <FeatureCards />
      <Preview />
      <Documentation />
      <Resources />
      <Pricing />
      <Closing />
    </SiteFrame>
  );
}
