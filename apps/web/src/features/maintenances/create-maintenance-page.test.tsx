import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import type { UserEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { component } from '@/testing/component';
import { maintenanceRoutes } from './routes';

const { components, maintenances } = endpoints;

/** Opens the form as people do: from the list. */
async function open() {
  server.use(
    http.get(apiUrl(maintenances.list), () => success([])),
    http.get(apiUrl(components.list), () => success([component('API'), component('Website')])),
  );
  const rendered = renderRoutes(maintenanceRoutes, { path: paths.schedules.list });
  await rendered.user.click(await screen.findByRole('link', { name: 'New Maintenance' }));
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
  await fill(user, '2026-10-25T00:30');
  choose(end(), '2026-10-25T04:30');
  await user.click(submit());
  expect(await screen.findByText('Maintenance Created')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      title: 'Database upgrade',
      description: 'Writes pause.',
      status: 'SCHEDULED',
      startAt: '2026-10-24T22:30:00.000Z',
      endAt: '2026-10-25T03:30:00.000Z',
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
