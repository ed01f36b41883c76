import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import type { UserEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { component } from '@/testing/component';
import { aMaintenance } from './fixtures';
import { maintenanceRoutes } from './routes';

const { components, maintenances } = endpoints;

/** Opens the form as people do: from the list. */
async function open() {
  server.use(
    http.get(apiUrl(maintenances.list), () => success([])),
    http.get(apiUrl(components.list), () => success([component('API'), component('Website')])),
  );
  const rendered = renderRoutes(maintenanceRoutes, { path: paths.schedules.list });
  await rendered.user.click(await screen.findByRole('button', { name: 'New Maintenance' }));
  await screen.findByRole('heading', { level: 1, name: 'Create Maintenance' });
  return rendered;
}

const title = () => screen.getByRole('textbox', { name: /^Title/ });
const description = () => screen.getByRole('textbox', { name: /^Description/ });
const start = () => screen.getByLabelText(/^Start at/);
const end = () => screen.getByLabelText(/^End at/);
const submit = () => screen.getByRole('button', { name: 'Create Maintenance' });

function choose(input: HTMLElement, value: string) {
  fireEvent.change(input, { target: { value } });
}

/** Types what every maintenance needs. */
async function fill(user: UserEvent, startAt = '2026-12-01T22:00') {
  await user.type(title(), 'Database upgrade');
  await user.type(description(), 'Writes pause.');
  choose(start(), startAt);
}

/** Responds to the form, and returns what it sends. */
function respond(response: () => Response = () => success({}, { status: 201 })) {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(maintenances.create), async ({ request }) => {
      bodies.push(await request.json());
      return response();
    }),
  );
  return bodies;
}

it('starts with the status Scheduled and empty fields', async () => {
  await open();
  expect(screen.getByRole('radio', { name: 'Scheduled' })).toBeChecked();
  expect(screen.getAllByRole('radio')).toHaveLength(4);
  expect(screen.getByRole('radiogroup', { name: /^Status/ })).toHaveAccessibleDescription(
    'Follows the start and the end, unless it is cancelled.',
  );
  for (const field of [title(), description(), start(), end()]) expect(field).toHaveValue('');
});

it('says what is missing', async () => {
  const { user } = await open();
  await user.click(submit());
  expect(await screen.findByText('Title is required')).toBeInTheDocument();
  expect(screen.getByText('Description is required')).toBeInTheDocument();
  expect(screen.getByText('Invalid date format')).toBeInTheDocument();
  expect(end()).toBeValid();
});

it('ends no maintenance before it begins', async () => {
  const { user } = await open();
  choose(start(), '2026-12-01T22:00');
  choose(end(), '2026-12-01T21:59');
  await user.click(submit());
  expect(await screen.findByText('End must not be before start')).toBeInTheDocument();
  choose(end(), '2026-12-01T22:00');
  await waitFor(() =>
    expect(screen.queryByText('End must not be before start')).not.toBeInTheDocument(),
  );
});

it('sends what was chosen in UTC, also around a change of the clock, and goes back', async () => {
  const { user, router } = await open();
  const sent = respond();
  await fill(user, '2126-10-27T00:30');
  choose(end(), '2126-10-27T04:30');
  await user.click(submit());
  expect(await screen.findByText('Maintenance Created')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      title: 'Database upgrade',
      description: 'Writes pause.',
      status: 'SCHEDULED',
      startAt: '2126-10-26T22:30:00.000Z',
      endAt: '2126-10-27T03:30:00.000Z',
      notify: true,
    },
  ]);
  await waitFor(() => expect(router.state.location.pathname).toBe('/schedules'));
});

it('notifies nobody if that is chosen', async () => {
  const { user } = await open();
  const sent = respond();
  await fill(user);
  const notify = screen.getByRole('checkbox', { name: 'Notify subscribers' });
  expect(notify).toHaveAccessibleDescription(/^Sends a message to the subscribers now/);
  await waitFor(() => expect(notify).toBeChecked());
  await user.click(notify);
  await user.click(submit());
  await screen.findByText('Maintenance Created');
  expect(sent).toMatchObject([{ notify: false }]);
});

it('says what a time of the past means, and notifies nobody of what is over by default', async () => {
  const { user } = await open();
  const sent = respond();
  const notify = screen.getByRole('checkbox', { name: 'Notify subscribers' });
  await fill(user, '2025-12-01T22:00');
  const begins = /^This time is in the past: the maintenance begins when you save it\./;
  expect(start()).toHaveAccessibleDescription(begins);
  await waitFor(() => expect(notify).toBeChecked());
  choose(end(), '2025-12-01T23:00');
  expect(start()).not.toHaveAccessibleDescription(begins);
  expect(end()).toHaveAccessibleDescription(
    /^This time is in the past: the maintenance is over when you save it\./,
  );
  expect(notify).not.toBeChecked();
  expect(notify).toHaveAccessibleDescription(
    'Off for the past by default. Sends a message to the subscribers now.',
  );
  await user.click(submit());
  await screen.findByText('Maintenance Created');
  expect(sent).toMatchObject([{ notify: false }]);
});

it('says nothing of a time of the past if the maintenance is cancelled', async () => {
  const { user } = await open();
  choose(start(), '2025-12-01T22:00');
  await user.click(screen.getByRole('radio', { name: 'Cancelled' }));
  expect(start()).not.toHaveAccessibleDescription(/in the past/);
});

it('sends the components that it affects, each chosen once', async () => {
  const { user } = await open();
  const sent = respond(() =>
    problem(422, 'Invalid', [{ field: 'components[0]', message: 'This component does not exist' }]),
  );
  const add = screen.getByRole('button', { name: 'Add Component' });
  await user.click(add);
  await user.selectOptions(screen.getByRole('combobox', { name: /^Component/ }), 'API');
  expect(screen.queryByRole('combobox', { name: /^Status/ })).not.toBeInTheDocument();
  await user.click(add);
  const [, second] = screen.getAllByRole('combobox', { name: /^Component/ });
  if (second === undefined) throw new Error('there is no second component');
  expect(within(second).queryByRole('option', { name: 'API' })).not.toBeInTheDocument();
  await user.selectOptions(second, 'Website');
  expect(add).toBeDisabled();
  await fill(user);
  await user.click(submit());
  expect(await screen.findByText('This component does not exist')).toBeInTheDocument();
  expect(sent).toMatchObject([{ components: ['api', 'website'] }]);
});

it('creates a maintenance without an end', async () => {
  const { user } = await open();
  const sent = respond();
  await fill(user);
  await user.click(submit());
  await screen.findByText('Maintenance Created');
  expect(sent).toMatchObject([{ endAt: null }]);
});

it('keeps what was typed when it is refused, with the server’s reasons beside the fields', async () => {
  const { user, router } = await open();
  respond(() =>
    problem(422, 'Invalid', [{ field: 'endAt', message: 'End must not be before start' }]),
  );
  await fill(user);
  await user.click(submit());
  expect(await screen.findByText('Error while creating maintenance')).toBeInTheDocument();
  expect(await screen.findByText('End must not be before start')).toBeInTheDocument();
  expect(title()).toHaveValue('Database upgrade');
  expect(router.state.location.pathname).toBe('/schedules/maintenance/create');
});

/** Opens the form of a maintenance like this one. */
function duplicate(response: () => Response) {
  server.use(
    http.get(apiUrl(maintenances.item('maintenance-1')), response),
    http.get(apiUrl(maintenances.list), () => success([])),
    http.get(apiUrl(components.list), () => success([component('API'), component('Website')])),
  );
  const path = paths.schedules.duplicate('maintenance-1');
  return renderRoutes(maintenanceRoutes, { path });
}

it('begins as a duplicate without times and without components that are deleted', async () => {
  const affected = ['API', 'Old'].map((name) => {
    const componentId = name.toLowerCase();
    return { componentId, component: { id: componentId, code: '0123456789ab', name } };
  });
  const earlier = aMaintenance({ status: 'CANCELLED', components: affected });
  const { user } = duplicate(() => success(earlier));
  const sent = respond();
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveValue('Database upgrade');
  expect(description()).toHaveValue('Writes pause for a while.');
  expect(screen.getByRole('radio', { name: 'Scheduled' })).toBeChecked();
  for (const time of [start(), end()]) expect(time).toHaveValue('');
  choose(start(), '2126-12-01T22:00');
  await user.click(submit());
  expect(await screen.findByText('Maintenance Created')).toBeInTheDocument();
  expect(sent).toMatchObject([{ title: 'Database upgrade', endAt: null, components: ['api'] }]);
});

it('begins as a duplicate of the newest version, also after another duplicate', async () => {
  let earlier = aMaintenance();
  const { router } = duplicate(() => success(earlier));
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveValue('Database upgrade');
  await act(() => router.navigate(paths.schedules.list));
  earlier = aMaintenance({ title: 'Database move' });
  await act(() => router.navigate(paths.schedules.duplicate('maintenance-1')));
  expect(await screen.findByRole('textbox', { name: /^Title/ })).toHaveValue('Database move');
});

it('reports that the maintenance to duplicate is deleted, and goes back', async () => {
  const { router } = duplicate(() => problem(404, 'Gone'));
  expect(await screen.findByText('Error loading maintenance')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe('/schedules'));
});
