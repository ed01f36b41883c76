import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { componentRoutes } from './routes';

/** Serves `components`, and deletes from them what is not `stuck`. */
function serve(components: Component[], stuck: string[] = []) {
  const deleted: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success(components)),
    http.delete<{ id: string }>(apiUrl('/component/:id'), ({ params: { id } }) => {
      deleted.push(id);
      if (stuck.includes(id)) return problem(403, 'Not allowed');
      components.splice(
        components.findIndex((candidate) => candidate.id === id),
        1,
      );
      return success({ id });
    }),
  );
  return deleted;
}

const open = () => renderRoutes(componentRoutes, { path: paths.components.list });

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[1]?.textContent);

it('shows each component with its status and the ways to edit and delete it', async () => {
  serve([component('Website', { status: 'DEGRADED' })]);
  open();
  expect(screen.getByRole('heading', { level: 1, name: 'Components' })).toBeInTheDocument();
  const row = (await screen.findByText('Website')).closest('tr') ?? document.body;
  expect(within(row).getByText('Degraded Performance')).toBeInTheDocument();
  expect(within(row).getByRole('link', { name: 'Edit Website' })).toHaveAttribute(
    'href',
    '/components/component/edit/website',
  );
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    '',
    'Name',
    'Status',
    'Edit',
    'Delete',
  ]);
  expect(screen.getByRole('link', { name: 'New Component' })).toHaveAttribute(
    'href',
    '/components/component/create',
  );
  expect(document.title).toBe('Components · Allclear');
});

it('sorts by how bad things are, the worst first', async () => {
  serve([
    component('Checkout', { status: 'PARTIAL_OUTAGE' }),
    component('Website'),
    component('Payments', { status: 'MAJOR_OUTAGE' }),
    component('Mail', { status: 'DEGRADED' }),
  ]);
  const { user } = open();
  await screen.findByText('Checkout');
  await user.click(screen.getByRole('button', { name: 'Status' }));
  expect(names()).toEqual(['Payments', 'Checkout', 'Mail', 'Website']);
});

it('shows the same page in the same order again when its user comes back', async () => {
  const all = Array.from({ length: 12 }, (_, index) => component(`Service ${index + 1}`));
  serve(all);
  const routes = [...componentRoutes, { path: '/elsewhere', element: <p>Elsewhere</p> }];
  const { user, router } = renderRoutes(routes, { path: paths.components.list });
  await screen.findByText('Service 1');
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await user.selectOptions(screen.getByLabelText('Rows per page'), '10');
  await user.click(screen.getByRole('button', { name: 'Next' }));
  expect(names()).toEqual(['Service 2', 'Service 1']);
  await act(() => router.navigate('/elsewhere'));
  await act(() => router.navigate(-1));
  await screen.findByText('Page 2 of 2');
  expect(names()).toEqual(['Service 2', 'Service 1']);
});

it('filters by name and group, and by status as it is shown, which the address keeps', async () => {
  const europe = componentGroup('Europe', { id: 'g1' });
  server.use(http.get(apiUrl(endpoints.componentGroups.list), () => success([europe])));
  serve([
    component('API', { groupId: 'g1' }),
    component('Website', { status: 'DEGRADED' }),
    component('Mail', { underMaintenance: true }),
  ]);
  const { user, router, unmount } = open();
  const filter = within(screen.getByRole('group', { name: 'Filter' }));
  const search = filter.getByRole('searchbox', { name: 'Search' });
  const status = filter.getByRole('combobox', { name: 'Status' });
  const shows = (...expected: string[]) =>
    waitFor(() => {
      const table = within(screen.getByRole('table', { name: 'Components' }));
      const rows = table.getAllByRole('row').slice(1);
      expect(rows.map((row) => row.children[1]?.textContent)).toEqual(expected);
    });
  await shows('APIEurope', 'Website', 'Mail');
  await user.type(search, 'eur ap');
  await shows('APIEurope');
  await user.clear(search);
  await user.selectOptions(status, 'Operational');
  await shows('APIEurope');
  await user.selectOptions(status, 'Affected');
  await shows('Website', 'Mail');
  await user.type(search, ' MAIL');
  await shows('Mail');
  expect(router.state.location.search).toBe('?status=affected');
  await user.tab();
  await waitFor(() => expect(router.state.location.search).toBe('?status=affected&search=MAIL'));
  await user.selectOptions(status, 'Major Outage');
  expect(await screen.findByText('No component matches the filter.')).toBeInTheDocument();
  unmount();

  renderRoutes(componentRoutes, { path: `${paths.components.list}?search=web&status=any` });
  await shows('Website');
  expect(screen.getByRole('searchbox', { name: 'Search' })).toHaveValue('web');
});

it('shows a maintenance beside a worse status, and instead of Operational', async () => {
  serve([
    component('Checkout', { status: 'PARTIAL_OUTAGE', underMaintenance: true }),
    component('Website', { underMaintenance: true }),
  ]);
  open();
  const row = async (name: string) =>
    within((await screen.findByText(name)).closest('tr') ?? document.body);
  expect((await row('Checkout')).getByText('Partial Outage')).toBeInTheDocument();
  expect((await row('Checkout')).getByText('Under Maintenance')).toBeInTheDocument();
  expect((await row('Website')).getByText('Under Maintenance')).toBeInTheDocument();
  expect((await row('Website')).queryByText('Operational')).not.toBeInTheDocument();
});

it('says that the list could not be read, and tries again when asked', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.list), () => problem(403, 'Choose an organisation'), {
      once: true,
    }),
  );
  const { user } = open();
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
  const toasts = screen.getByRole('region', { name: /Notifications/ });
  expect(await within(toasts).findByText('Error while fetching components')).toBeInTheDocument();
  serve([component('Website')]);
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Website')).toBeInTheDocument();
});

it('deletes a component only once that is confirmed', async () => {
  const deleted = serve([component('Website'), component('API')]);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Delete API' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(deleted).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Delete API' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Component Deleted')).toBeInTheDocument();
  await waitFor(() => expect(names()).toEqual(['Website']));
  expect(deleted).toEqual(['api']);
});

it('says “error” when a deletion fails', async () => {
  serve([component('Website')], ['website']);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Delete Website' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('error')).toBeInTheDocument();
  expect(screen.getByText('Website')).toBeInTheDocument();
});

it('deletes what is selected, and keeps selected what could not be deleted', async () => {
  const deleted = serve([component('A'), component('B'), component('C')], ['b']);
  const { user } = open();
  await screen.findByText('A');
  await user.click(screen.getByRole('checkbox', { name: 'Select A' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select B' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete 2 components?' });
  expect(question).toHaveAccessibleDescription(
    /Subscribers who chose nothing else receive nothing/,
  );
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('error')).toBeInTheDocument();
  await waitFor(() => expect(names()).toEqual(['B', 'C']));
  expect(deleted).toEqual(['a', 'b']);
  expect(screen.getByText('1 selected')).toBeInTheDocument();
});

it('offers older components where there are more than it shows', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.list), ({ request }) => {
      const query = new URL(request.url).searchParams;
      expect(query.get('limit')).toBe(query.has('before') ? '500' : null);
      return query.get('before') === 'website'
        ? success([component('Archive')], { next: null })
        : success([component('Website')], { next: 'website' });
    }),
  );
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('Archive')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
});
