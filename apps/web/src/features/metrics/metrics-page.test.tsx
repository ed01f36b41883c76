import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Metrics } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { renderRoutes } from '@/testing/render';
import { savedFiles } from '@/testing/saved-files';
import { apiUrl, problem, server, success } from '@/testing/server';
import { noMetrics } from './fixtures';
import { metricsRoutes } from './routes';

const metrics = noMetrics({
  components: [
    { id: 'c1', name: 'API', percentage: 99.95 },
    { id: 'c2', name: '=HYPERLINK("x")', percentage: 100 },
    { id: 'c3', name: 'New', percentage: null },
  ],
  groups: [{ id: 'g1', name: 'Edge', percentage: 99.97 }],
  incidentsByWeek: [
    { week: '2026-11-09', count: 0 },
    { week: '2026-11-16', count: 3 },
  ],
  incidentsByComponent: [{ id: 'c1', name: 'API', count: 3 }],
  timeToFirstUpdate: { median: 300, longest: 600 },
  timeToResolve: { median: 8040, longest: 273_600 },
  mails: { sent: 1200, failed: 3 },
});

/** Serves these metrics and notes the requested days. */
function serve(found: Metrics = metrics) {
  const asked: (string | null)[] = [];
  server.use(
    http.get(apiUrl('/metrics'), ({ request }) => {
      const days = new URL(request.url).searchParams.get('days');
      asked.push(days);
      return success({ ...found, days: Number(days) });
    }),
  );
  return asked;
}

const render = (search = '') => renderRoutes(metricsRoutes, { path: `${paths.metrics}${search}` });
const card = (name: string) => screen.findByRole('region', { name });
const rows = (within_: HTMLElement) =>
  within(within_)
    .getAllByRole('row')
    .map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(' | '));

it('has its heading and reads the last 30 days at first', async () => {
  const asked = serve();
  render();
  expect(await screen.findByRole('heading', { level: 1, name: 'Metrics' })).toBeInTheDocument();
  await card('Uptime by component');
  expect(asked).toEqual(['30']);
  expect(screen.getByRole('link', { name: '30 days' })).toHaveAttribute('aria-current', 'true');
});

it('reads the metrics again every minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = serve();
  render('?days=7');
  await card('Uptime by component');
  serve({ ...metrics, components: [{ id: 'c1', name: 'API', percentage: 98.7 }] });
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(await screen.findByText('98.7 %')).toBeInTheDocument();
  expect(asked).toEqual(['7']);
});

it('says that it could not be refreshed, until it is', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve();
  const { user } = render();
  await card('Uptime by component');
  server.use(http.get(apiUrl('/metrics'), () => problem(403, 'Not now')));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  const failure = (await screen.findByText('Could not refresh')).closest('[role=status]');
  expect(failure).toHaveTextContent(/Shown is the state before \d\d:\d\d [AP]M\./);
  expect(screen.getByRole('region', { name: 'Uptime by component' })).toBeInTheDocument();
  serve();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(screen.queryByText('Could not refresh')).not.toBeInTheDocument());
});

it('keeps the range in its address', async () => {
  const asked = serve();
  const { user, router } = render('?days=90');
  await card('Uptime by component');
  expect(screen.getByRole('link', { name: '90 days' })).toHaveAttribute('aria-current', 'true');
  await user.click(screen.getByRole('link', { name: '365 days' }));
  await waitFor(() => expect(asked).toEqual(['90', '365']));
  expect(router.state.location.search).toBe('?days=365');
  await user.click(screen.getByRole('link', { name: '30 days' }));
  await waitFor(() => expect(router.state.location.search).toBe(''));
});

it('takes the standard range for an unknown one', async () => {
  const asked = serve();
  render('?days=8');
  await card('Uptime by component');
  expect(asked).toEqual(['30']);
});

it.each([
  [
    'Uptime by component',
    ['Component | Uptime', 'API | 99.95 %', '=HYPERLINK("x") | 100.0 %', 'New | No data'],
  ],
  ['Uptime by group', ['Group | Uptime', 'Edge | 99.97 %']],
  ['Incidents by week', ['Week from | Incidents', 'Nov 09, 2026 | 0', 'Nov 16, 2026 | 3']],
  ['Incidents by component', ['Component | Incidents', 'API | 3']],
  [
    'Time to react',
    [
      'Measure | Time',
      'First update, median | 5 min',
      'First update, longest | 10 min',
      'Resolved, median | 2 h 14 min',
      'Resolved, longest | 3 d 4 h',
    ],
  ],
  ['Messages to subscribers', ['Messages | Number', 'Sent | 1,200', 'Failed | 3']],
])('%s has a table behind it, which a key shows', async (title, table) => {
  serve();
  const { user } = render();
  const chart = await card(title);
  expect(within(chart).queryByRole('table')).not.toBeInTheDocument();
  const button = within(chart).getByRole('button', { name: `Show Table: ${title}` });
  button.focus();
  await user.keyboard('{Enter}');
  expect(button).toHaveAttribute('aria-expanded', 'true');
  expect(rows(within(chart).getByRole('table'))).toEqual(table);
});

it('saves the data of a chart as CSV that no spreadsheet runs', async () => {
  serve();
  const files = savedFiles();
  const { user } = render();
  const chart = await card('Uptime by component');
  await user.click(
    within(chart).getByRole('button', { name: 'Download CSV: Uptime by component' }),
  );
  const [file, ...others] = files;
  expect(file?.name).toBe('uptime-by-component-2026-10-23-to-2026-11-21.csv');
  expect(others).toEqual([]);
  // jsdom's blobs are read by its FileReader, which drops the mark.
  const text = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsText(file?.content ?? new Blob());
  });
  expect(text).toBe(
    'Component,Uptime in percent\r\nAPI,99.95\r\n"\'=HYPERLINK(""x"")",100\r\nNew,\r\n',
  );
});

it('leads from each empty chart to where something can be done', async () => {
  serve(noMetrics());
  render();
  const empty = [
    ['Uptime by component', 'Create a component', '/components/component/create'],
    ['Incidents by week', 'Open the List', '/incidents'],
    ['Incidents by component', 'Open the List', '/incidents'],
    ['Time to react', 'Open the List', '/incidents'],
    ['Messages to subscribers', 'Open the List', '/subscribers'],
  ] as const;
  for (const [title, name, path] of empty) {
    const chart = await card(title);
    expect(within(chart).getByRole('link', { name })).toHaveAttribute('href', path);
    expect(within(chart).queryByRole('button')).not.toBeInTheDocument();
  }
});

it('names the groups of components that have the same name', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.list), () =>
      success([
        component('API', { id: 'c1', groupId: 'europe' }),
        component('API', { id: 'c2', groupId: 'usa' }),
      ]),
    ),
    http.get(apiUrl(endpoints.componentGroups.list), () =>
      success([componentGroup('Europe'), componentGroup('USA')]),
    ),
  );
  serve({
    ...metrics,
    components: ['c1', 'c2'].map((id) => ({ id, name: 'API', percentage: 100 })),
  });
  const { user } = render();
  const chart = await card('Uptime by component');
  await user.click(within(chart).getByRole('button', { name: /^Show Table/ }));
  await waitFor(() =>
    expect(rows(within(chart).getByRole('table'))).toEqual([
      'Component | Uptime',
      'API (Europe) | 100.0 %',
      'API (USA) | 100.0 %',
    ]),
  );
});

it('says that a chart does not have all components', async () => {
  const incidentsByComponent = Array.from({ length: 21 }, (_, index) => ({
    id: String(index),
    name: `Service ${String(index)}`,
    count: 1,
  }));
  serve({ ...metrics, incidentsByComponent });
  render();
  expect(await card('Incidents by component')).toHaveTextContent(
    'The 20 with the most; the table has all. An incident counts for each component',
  );
});

it('says why a group has no uptime, and nothing of an axis', async () => {
  serve(
    noMetrics({
      components: [{ id: 'c1', name: 'API', percentage: 99.95 }],
      groups: [{ id: 'g1', name: 'Edge', percentage: null }],
    }),
  );
  render();
  const chart = await card('Uptime by group');
  expect(chart).toHaveTextContent(
    'No uptime to show' +
      'The uptime of a group is that of its components, measured from their first day.',
  );
  expect(chart).not.toHaveTextContent('The axis starts');
  expect(within(chart).getByRole('link', { name: 'Open the List' })).toHaveAttribute(
    'href',
    paths.components.list,
  );
  expect(await card('Uptime by component')).toHaveTextContent('The axis starts at 99.9 %.');
});

it('says why it could not be read, and tries again', async () => {
  server.use(http.get(apiUrl('/metrics'), () => problem(403, 'Choose an organisation')));
  const { user } = render();
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
  serve();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await card('Uptime by component')).toBeInTheDocument();
});
