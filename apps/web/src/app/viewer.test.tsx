import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { componentRoutes } from '@/features/components/routes';
import { anIncident } from '@/features/incidents/fixtures';
import { incidentRoutes } from '@/features/incidents/routes';
import { aMaintenance } from '@/features/maintenances/fixtures';
import { maintenanceRoutes } from '@/features/maintenances/routes';
import { noMail } from '@/features/subscribers/fixtures';
import { subscriberRoutes } from '@/features/subscribers/routes';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { renderRoutes, signedIn } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { renderApp, signedIn as admin } from './testing';

const viewer = {
  status: 'signed-in' as const,
  user: { id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  organisation: { id: 'org-1', name: 'Analytical Engines', role: 'viewer' as const },
};

const { incidents } = endpoints;

beforeEach(() => {
  const review = { ...endpoints.incidents.review('incident-1') };
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success([component('Website')])),
    http.get(apiUrl(incidents.list), () => success([anIncident()])),
    http.get(apiUrl(incidents.item('incident-1')), () => success(anIncident(), { etag: '"1"' })),
    http.get(apiUrl(incidents.updates('incident-1')), () => success([])),
    http.get(apiUrl(review.item), () =>
      success({ body: 'Why', html: '<p>Why</p>', status: 'DRAFT', publishedAt: null }),
    ),
  );
});

const headers = () => screen.getAllByRole('columnheader').map((header) => header.textContent);

it('shows components without buttons that change them', async () => {
  renderRoutes(componentRoutes, { path: paths.components.list, auth: viewer });
  await screen.findByText('Website');
  expect(screen.queryByRole('link', { name: 'New Component' })).not.toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Reorder' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'New Group' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /Website$/ })).not.toBeInTheDocument();
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View Website' })).toBeVisible();
});

it('shows maintenances with a link that leads to reading', async () => {
  server.use(http.get(apiUrl(endpoints.maintenances.list), () => success([aMaintenance()])));
  renderRoutes(maintenanceRoutes, { path: paths.schedules.list, auth: viewer });
  expect(await screen.findByRole('link', { name: /^View / })).toBeVisible();
  expect(headers()).toEqual(['Title', 'Status', 'Start at', 'End at', 'View']);
  expect(screen.queryByRole('button', { name: /^Complete Maintenance/ })).not.toBeInTheDocument();
});

it('shows the same components to an editor with these buttons', async () => {
  const editor = { ...viewer, organisation: { ...viewer.organisation, role: 'editor' as const } };
  renderRoutes(componentRoutes, { path: paths.components.list, auth: editor });
  await screen.findByText('Website');
  expect(screen.getByRole('link', { name: 'New Component' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Edit Website' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Delete Website' })).toBeVisible();
});

it('shows incidents without the columns that change them', async () => {
  renderRoutes(incidentRoutes, { path: paths.incidents.list, auth: viewer });
  await screen.findByText('Checkout fails');
  expect(headers()).toEqual(['Name', 'Status', 'Occurred at', 'Created at', 'View']);
});

it('shows the form of an incident for reading, with its review as text', async () => {
  const path = paths.incidents.edit('incident-1');
  const { user } = renderRoutes(incidentRoutes, { path, auth: viewer });
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveAttribute('readonly');
  const description = screen.getByRole('textbox', { name: /^Description/ });
  description.focus();
  await user.keyboard('More');
  expect(description).toHaveFocus();
  expect(description).toHaveValue('Payments are refused.');
  await user.click(screen.getByRole('radio', { name: 'Resolved' }));
  expect(screen.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  expect(screen.getByRole('radiogroup', { name: /^Status/ })).toHaveAttribute(
    'aria-readonly',
    'true',
  );
  expect(screen.getByRole('heading', { name: 'Incident' })).toBeVisible();
  expect(screen.getByText('Your role may view this, but not change it.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Back' })).toBeEnabled();
  expect(screen.queryByRole('button', { name: 'Update Incident' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Record Update' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Review' }));
  expect(await screen.findByText('Why')).toBeVisible();
  const panel = screen.getByRole('tabpanel', { name: 'Review' });
  expect(within(panel).queryByRole('button')).not.toBeInTheDocument();
});

it.each([
  ['groups', paths.components.edit('component-1'), endpoints.componentGroups.list],
  ['components', paths.schedules.edit('maintenance-1'), endpoints.components.list],
])('offers to read the %s of a form again', async (noun, path, list) => {
  server.use(
    http.get(apiUrl(list), () => problem(403, 'No')),
    http.get(apiUrl(endpoints.components.item('component-1')), () => success(component('Website'))),
    http.get(apiUrl(endpoints.maintenances.item('maintenance-1')), () => success(aMaintenance())),
    http.get(apiUrl(endpoints.maintenances.updates('maintenance-1')), () => success([])),
  );
  const { user } = renderRoutes([...componentRoutes, ...maintenanceRoutes], { path, auth: viewer });
  const title = await screen.findByText(`The ${noun} could not be loaded`);
  server.use(http.get(apiUrl(list), () => success([])));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(title).not.toBeInTheDocument());
  expect(screen.queryByRole('button', { name: /^Add / })).not.toBeInTheDocument();
});

it('offers the previews of messages, and nothing that changes subscribers', async () => {
  const { list, deliveries } = endpoints.subscribers;
  server.use(
    http.get(apiUrl(list), () => success([])),
    http.get(apiUrl(deliveries), () => success(noMail)),
  );
  const { user } = renderRoutes(subscriberRoutes, { path: paths.subscribers, auth: viewer });
  await user.click(await screen.findByRole('button', { name: 'More' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.textContent)).toEqual(['Message previews']);
  expect(screen.queryByRole('button', { name: 'New Subscriber' })).not.toBeInTheDocument();
});

it('leads away from the form of a new incident', async () => {
  const dashboard = { path: paths.dashboard, element: <h1>Dashboard</h1> };
  const path = paths.incidents.create;
  const { unmount } = renderRoutes([...incidentRoutes, dashboard], { path, auth: viewer });
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeVisible();
  unmount();
  renderRoutes([...incidentRoutes, dashboard], { path, auth: signedIn });
  expect(await screen.findByRole('heading', { name: 'Create Incident' })).toBeVisible();
});

it('keeps what was typed into a new incident when the right to write is lost', async () => {
  const { user, become } = renderApp(paths.incidents.create);
  await user.type(await screen.findByRole('textbox', { name: /^Title/ }), 'Checkout fails');
  act(() => become({ ...admin, organisation: viewer.organisation }));
  expect(await screen.findByText(/^Your role may view this/)).toBeVisible();
  expect(screen.getByRole('textbox', { name: /^Title/ })).toHaveValue('Checkout fails');
});
