import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ComponentStatus, IncidentStatus, StatusSnapshot } from '@/api/types';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { setTheme } from '@/ui/theme-choice';
import { FakeEventSource } from './fake-event-source';
import {
  aComponent,
  aMaintenance,
  aMaintenanceEntry,
  anIncident,
  anIncidentEntry,
  aSnapshot,
} from './fixtures';
import { StatusPage } from './status-page';

beforeEach(() => {
  FakeEventSource.install();
  vi.setSystemTime('2026-11-20T12:00:00.000Z');
  return () => vi.useRealTimers();
});

const show = (change: Partial<StatusSnapshot> = {}) =>
  render(<StatusPage orgId="org-1" snapshot={aSnapshot(change)} />);
const section = (name: string) => within(screen.getByRole('region', { name }));
const send = (...event: Parameters<FakeEventSource['send']>) =>
  act(() => FakeEventSource.last.send(...event));

describe('the first paint', () => {
  it('names the product and the organisation, which is a link to its page', () => {
    show();
    expect(within(screen.getByRole('banner')).getByText('Allclear Status')).toBeVisible();
    const heading = screen.getByRole('heading', { level: 1, name: 'Analytical Engines' });
    expect(within(heading).getByRole('link')).toHaveAttribute('href', '/status/org-1');
  });

  it.each([
    ['leads home from the installation', 'https://allclear.example/status/org-1', '/'],
    ['leads nowhere from a domain of its own', 'https://status.acme.example', null],
  ])('%s', (_what, url, home) => {
    show({ organisation: { ...aSnapshot().organisation, url } });
    expect(screen.getByText('Powered by Allclear').getAttribute('href')).toBe(home);
  });

  it('shows components with name, description and status', () => {
    show({
      components: [
        aComponent({ id: 'c2', name: 'API', description: 'v2', status: 'PARTIAL_OUTAGE' }),
        aComponent(),
      ],
    });
    const [api, website] = section('Components').getAllByRole('listitem');
    expect(api).toHaveTextContent('APIv2Partial Outage');
    expect(website).toHaveTextContent('WebsiteOperational');
  });

  it.each<[ComponentStatus[], IncidentStatus[], string]>([
    [['OPERATIONAL'], [], '1 component, operational'],
    [['OPERATIONAL'], ['IDENTIFIED', 'RESOLVED'], '1 component, operational · 1 open incident'],
    [
      ['OPERATIONAL', 'OPERATIONAL'],
      ['MONITORING', 'INVESTIGATING'],
      'All 2 components are operational · 2 open incidents',
    ],
    [['DEGRADED'], [], '1 of 1 component affected'],
    [['DEGRADED', 'OPERATIONAL'], ['RESOLVED'], '1 of 2 components affected'],
  ])('counts components %j and incidents %j below the headline', (of, on, expected) => {
    show({
      components: of.map((status, index) => aComponent({ id: `c${index}`, status })),
      incidents: on.map((status, index) => anIncident({ id: `i${index}`, status })),
    });
    expect(section('Current status').getByText(expected)).toBeVisible();
  });

  it('has no banner without components, and says what is empty', () => {
    show();
    expect(screen.queryByRole('region', { name: 'Current status' })).not.toBeInTheDocument();
    expect(screen.getByText('No components are shown here yet.')).toBeVisible();
    expect(screen.getByText('No incidents in the last 14 days.')).toBeVisible();
    expect(screen.getByText('No maintenance is scheduled.')).toBeVisible();
  });

  it('says what is left out', () => {
    const incident = (number: number) =>
      anIncident({ id: `i${number}`, title: `Down ${number}`, status: 'RESOLVED' });
    show({
      incidents: [
        ...Array.from({ length: 49 }, (_, number) => incident(number)),
        { ...incident(49), timelineTruncated: true },
      ],
      maintenances: [aMaintenance({ status: 'COMPLETED' })],
    });
    const incidents = section('Incidents');
    expect(incidents.getByText('Only the newest 50 past incidents are shown.')).toBeVisible();
    expect(incidents.getByText('Older updates are not shown.')).toBeVisible();
    expect(section('Scheduled Maintenance').queryByText(/newest 50/)).not.toBeInTheDocument();
  });

  it('shows an incident with what it affects and its timeline', () => {
    show({
      incidents: [
        anIncident({
          status: 'IDENTIFIED',
          components: [
            {
              componentId: 'c1',
              status: 'DEGRADED',
              component: { id: 'c1', code: '0123456789ab', name: 'Website' },
            },
          ],
          IncidentTimeline: [
            anIncidentEntry({ id: 'e2' }),
            anIncidentEntry({ id: 'e1', status: 'INVESTIGATING', message: 'Looking.' }),
          ],
        }),
      ],
    });
    const incidents = section('Incidents');
    expect(incidents.getByRole('heading', { name: 'Payments fail' })).toBeVisible();
    expect(incidents.getByText('Cards are declined.')).toBeVisible();
    expect(incidents.getByText('Nov 20, 2026 10:05:00 AM')).toBeVisible();
    const affected = incidents.getByRole('list', { name: 'Components affected by Payments fail' });
    expect(affected).toHaveTextContent('WebsiteDegraded Performance');
    const timeline = incidents.getByRole('list', { name: 'Timeline of Payments fail' });
    expect(
      within(timeline)
        .getAllByRole('listitem')
        .map((it) => it.textContent),
    ).toEqual([
      'IdentifiedNov 20, 2026 10:30:00 AM 2 hours agoA provider is down.',
      'InvestigatingNov 20, 2026 10:30:00 AM 2 hours agoLooking.',
    ]);
  });

  it('puts unresolved incidents before resolved ones, and both before the components', () => {
    show({
      incidents: [
        anIncident({ id: 'i2', title: 'Over', status: 'RESOLVED' }),
        anIncident({ id: 'i1', title: 'Going on', status: 'MONITORING' }),
      ],
    });
    const titles = section('Incidents').getAllByRole('heading', { level: 3 });
    expect(titles.map(({ textContent }) => textContent)).toEqual(['Going on', 'Over']);
    const sections = screen.getAllByRole('heading', { level: 2 });
    expect(sections.map(({ textContent }) => textContent)).toEqual([
      'Incidents',
      'Components',
      'Scheduled Maintenance',
    ]);
  });

  it('begins with the components when nothing is going on', () => {
    show({ incidents: [anIncident({ status: 'RESOLVED' })] });
    expect(screen.getAllByRole('heading', { level: 2 })[0]).toHaveTextContent('Components');
  });

  it.each([
    ['INVESTIGATING', 'IN_PROGRESS', ['Incidents', 'Scheduled Maintenance', 'Components']],
    ['INVESTIGATING', 'COMPLETED', ['Incidents', 'Components', 'Scheduled Maintenance']],
    ['RESOLVED', 'SCHEDULED', ['Components', 'Scheduled Maintenance', 'Incidents']],
    ['RESOLVED', 'CANCELLED', ['Components', 'Incidents', 'Scheduled Maintenance']],
  ] as const)(
    'orders its sections while an incident is %s and a maintenance %s',
    (incident, maintenance, expected) => {
      show({
        incidents: [anIncident({ status: incident })],
        maintenances: [aMaintenance({ status: maintenance })],
      });
      const sections = screen.getAllByRole('heading', { level: 2 });
      expect(sections.map(({ textContent }) => textContent)).toEqual(expected);
    },
  );

  it('leads to its other pages by one navigation', () => {
    show();
    const links = within(screen.getByRole('navigation', { name: 'Pages' })).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(['View history', 'Uptime']);
  });

  it('takes no time of a completed maintenance for a future one, but those of a cancelled one', () => {
    const soon = { startAt: '2026-11-20T12:10:00.000Z', endAt: null };
    const over = (['COMPLETED', 'CANCELLED'] as const).map((status) =>
      aMaintenance({ ...soon, id: status, status }),
    );
    const { container } = show({ maintenances: over });
    const distances = [...container.querySelectorAll('dd .time-distance')];
    expect(distances.map((distance) => distance.textContent)).toEqual([
      ' just now',
      ' in 10 minutes',
    ]);
  });

  it('shows when a maintenance starts and ends, or that no end is set', () => {
    show({
      maintenances: [
        aMaintenance({ timeline: [aMaintenanceEntry()] }),
        aMaintenance({ id: 'm2', title: 'Endless', status: 'IN_PROGRESS', endAt: null }),
      ],
    });
    const [planned, endless] = section('Scheduled Maintenance').getAllByRole('article');
    expect(planned).toHaveTextContent('Starts:Nov 25, 2026 02:00:00 AM in 4 days');
    expect(planned).toHaveTextContent('Ends:Nov 25, 2026 03:00:00 AM in 4 days');
    expect(planned).toHaveTextContent('Scheduled');
    expect(planned).toHaveTextContent('Half of it is done.');
    expect(endless).toHaveTextContent('In Progress');
    expect(endless).toHaveTextContent('Ends:---');
  });

  it('names the time zone once', () => {
    show({ incidents: [anIncident()] });
    expect(screen.getAllByText(/Europe\/Berlin/)).toHaveLength(1);
  });

  it('shows what people wrote as text, with links for web addresses', () => {
    show({
      components: [
        aComponent({ name: '<b>Bold</b>', description: 'https://example.com\n<i>x</i>' }),
      ],
    });
    expect(screen.getByText('<b>Bold</b>')).toBeVisible();
    expect(section('Components').getByText(/<i>x<\/i>/)).toBeVisible();
    expect(section('Components').getByRole('link')).toHaveTextContent('https://example.com');
  });
});

describe('while a visitor watches', () => {
  it('shows when a component is under maintenance, beside a worse status, with a green headline', () => {
    const hidden = { onlyShowWhenAffected: true };
    show({ components: [aComponent(hidden), aComponent({ id: 'c2', name: 'API' })] });
    expect(section('Components').queryByText('Website')).not.toBeInTheDocument();
    send('component-update', [aComponent({ ...hidden, underMaintenance: true })], '8');
    const row = () => section('Components').getByText('Website').closest('li');
    expect(row()).toHaveTextContent('Under Maintenance');
    expect(row()).not.toHaveTextContent('Operational');
    expect(row()).toHaveAttribute('data-tone', 'maintenance');
    expect(screen.getByText('All Systems Operational')).toBeVisible();
    const broken = aComponent({ underMaintenance: true, status: 'MAJOR_OUTAGE' });
    send('component-update', [broken], '9');
    expect(row()).toHaveTextContent('Major OutageUnder Maintenance');
    expect(row()).toHaveAttribute('data-tone', 'major');
    send('component-update', [aComponent()], '10');
    expect(row()).toHaveTextContent('Operational');
    expect(row()).not.toHaveAttribute('data-tone');
  });

  it('takes changes in, headline and title too, and announces them', async () => {
    show({ components: [aComponent()] });
    expect(screen.getByText('All Systems Operational')).toBeVisible();
    send('component-update', [aComponent({ status: 'MAJOR_OUTAGE' })], '8');
    expect(section('Components').getByText('Major Outage')).toBeVisible();
    expect(
      section('Current status').getByText('Some systems are experiencing issues'),
    ).toBeVisible();
    expect(document.title).toBe('Analytical Engines: Some systems are experiencing issues');
    const log = screen.getByRole('log', { name: 'Changes' });
    expect(log).toHaveAttribute('aria-live', 'polite');
    const announced = 'Website: Major OutageSome systems are experiencing issues';
    await waitFor(() => expect(log).toHaveTextContent(announced));
  });

  it('adds new items at the top', () => {
    show({ components: [aComponent()] });
    send('new-component', [aComponent({ id: 'c2', name: 'API' })], '8');
    expect(section('Components').getAllByRole('listitem')[0]).toHaveTextContent('API');
  });

  it('highlights what changed and nothing else', () => {
    const { container } = show({ components: [aComponent(), aComponent({ id: 'c2' })] });
    expect(container.querySelectorAll('.live-highlight')).toHaveLength(0);
    send('component-update', [aComponent({ status: 'DEGRADED' })], '8');
    const [changed, other] = section('Components').getAllByRole('listitem');
    expect(changed?.querySelectorAll('.live-highlight')).toHaveLength(1);
    expect(other?.querySelectorAll('.live-highlight')).toHaveLength(0);
  });

  it('says whether it is live, and else of which time it is', () => {
    show();
    expect(screen.getByText('Connecting')).toBeVisible();
    act(() => FakeEventSource.last.open());
    expect(screen.getByText('Live')).toBeVisible();
    vi.setSystemTime('2026-11-20T13:07:00.000Z');
    act(() => FakeEventSource.last.break());
    expect(screen.getByText(/^Reconnecting/)).toHaveTextContent('Reconnecting · state of 02:07 PM');
    vi.setSystemTime('2026-11-20T13:30:00.000Z');
    act(() => FakeEventSource.last.break());
    expect(screen.getByText(/^Reconnecting/)).toHaveTextContent('state of 02:07 PM');
    act(() => FakeEventSource.last.open());
    expect(screen.getByText('Live')).toBeVisible();
  });

  it('keeps the page when the connection is lost for good', () => {
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => problem(503, 'Unavailable')));
    show({ components: [aComponent()] });
    act(() => FakeEventSource.last.giveUp());
    expect(section('Components').getByText('Website')).toBeVisible();
  });
});

describe('without a state to begin with', () => {
  it('asks the server for it', async () => {
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot())));
    render(<StatusPage orgId="org-1" />);
    expect(screen.getByRole('heading', { name: 'Loading the status page' })).toBeVisible();
    expect(await screen.findByRole('heading', { name: 'Analytical Engines' })).toBeVisible();
    // The stream is opened by an effect, which may run after the page is painted.
    await waitFor(() => expect(FakeEventSource.last.url).toContain('since=7'));
  });

  it('helps on where there is no such organisation', async () => {
    server.use(
      http.get(apiUrl(endpoints.status('x')), () => problem(404, 'Organisation not found')),
    );
    render(<StatusPage orgId="x" />);
    expect(
      await screen.findByRole('heading', { name: 'There is no status page here' }),
    ).toBeVisible();
    expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/');
    // The title is set by an effect, which may run after the page is painted.
    await waitFor(() => expect(document.title).toBe('Status page not found'));
  });

  it('asks nothing when the server has said already that there is no such organisation', () => {
    render(<StatusPage orgId="x" snapshot={null} />);
    expect(screen.getByRole('heading', { name: 'There is no status page here' })).toBeVisible();
    expect(FakeEventSource.all).toHaveLength(0);
  });

  it('can be asked for again after a failure', async () => {
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => problem(403, 'Not from here')));
    render(<StatusPage orgId="org-1" />);
    expect(await screen.findByText('Not from here')).toBeVisible();
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot())));
    await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(await screen.findByRole('heading', { name: 'Analytical Engines' })).toBeVisible();
  });
});

it('switches the theme, and says which one comes next', async () => {
  document.documentElement.dataset.theme = 'dark';
  show();
  await userEvent.click(screen.getByRole('button', { name: 'Switch to light theme' }));
  expect(document.documentElement.dataset.theme).toBe('light');
  expect(screen.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible();
});

it('says which theme comes next after the system has changed its theme', () => {
  const light = Object.assign(new EventTarget(), window.matchMedia(''), { matches: true });
  vi.spyOn(window, 'matchMedia').mockReturnValue(light);
  setTheme('system');
  show();
  expect(screen.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible();
  light.matches = false;
  act(() => void light.dispatchEvent(new Event('change')));
  expect(document.documentElement.dataset.theme).toBe('dark');
  expect(screen.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
});
