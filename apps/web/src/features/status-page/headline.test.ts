import { describe, expect, it } from 'vitest';
import type { ComponentStatus } from '@/api/types';
import { aComponent, aMaintenance, aSnapshot } from './fixtures';
import { documentTitle, favicon, headline } from './headline';

const components = (...statuses: ComponentStatus[]) =>
  statuses.map((status, index) => aComponent({ id: `c${index}`, status }));

describe('the headline', () => {
  it('is absent without components', () => {
    expect(headline([])).toBeNull();
  });

  it('is green while every component is operational', () => {
    expect(headline(components('OPERATIONAL', 'OPERATIONAL'))).toEqual({
      operational: true,
      text: 'All Systems Operational',
    });
  });

  it.each(['DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'] as const)(
    'speaks of issues as soon as one component is %s',
    (status) => {
      expect(headline(components('OPERATIONAL', status))).toEqual({
        operational: false,
        text: 'Some systems are experiencing issues',
      });
    },
  );
});

it('is in the title of the tab, as the server writes it', () => {
  expect(documentTitle(aSnapshot({ components: components('MAJOR_OUTAGE') }))).toBe(
    'Analytical Engines: Some systems are experiencing issues',
  );
  const { organisation } = aSnapshot();
  const renamed = { ...organisation, name: 'Acme Holding', pageTitle: 'Acme' };
  expect(documentTitle(aSnapshot({ organisation: renamed }))).toBe('Acme status');
});

it.each([
  ['/favicon.svg', aSnapshot()],
  ['/favicon-operational.svg', aSnapshot({ components: components('OPERATIONAL') })],
  ['/favicon-degraded.svg', aSnapshot({ components: components('DEGRADED', 'OPERATIONAL') })],
  ['/favicon-partial.svg', aSnapshot({ components: components('PARTIAL_OUTAGE', 'DEGRADED') })],
  ['/favicon-major.svg', aSnapshot({ components: components('DEGRADED', 'MAJOR_OUTAGE') })],
  [
    '/favicon-maintenance.svg',
    aSnapshot({
      components: components('OPERATIONAL'),
      maintenances: [aMaintenance({ status: 'IN_PROGRESS' })],
    }),
  ],
  [
    '/favicon-operational.svg',
    aSnapshot({ components: components('OPERATIONAL'), maintenances: [aMaintenance()] }),
  ],
])('shows %s in the tab', (icon, state) => {
  expect(favicon(state)).toBe(icon);
});
