import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { act } from 'react';
import { expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { component } from '@/testing/component';
import { componentRoutes } from './routes';

const website = component('Website', { description: 'The public site' });

/** Opens the form from the list, as people do. */
async function openFromList(path: string, components: Component[] = []) {
  server.use(http.get(apiUrl(endpoints.components.list), () => success(components)));
  const rendered = renderRoutes(componentRoutes, { path: paths.components.list });
  await act(() => rendered.router.navigate(path));
  return rendered;
}

const name = () => screen.findByRole('textbox', { name: /^Name/ });
const description = () => screen.getByRole('textbox', { name: 'Description' });

async function typeName(user: Awaited<ReturnType<typeof openFromList>>['user'], text: string) {
  await waitFor(() => expect(screen.getByRole('textbox', { name: /^Name/ })).toBeEnabled());
  await user.clear(await name());
  await user.type(await name(), text);
}

it('starts with the status Operational and empty texts', async () => {
  await openFromList(paths.components.create);
  expect(await name()).toHaveValue('');
  expect(screen.getByRole('heading', { level: 1, name: 'Create Component' })).toBeInTheDocument();
  expect(screen.getByRole('radio', { name: 'Operational' })).toBeChecked();
  expect(description()).toHaveAttribute('placeholder', 'Enter description...');
});

it('creates a component, shows that it is busy, and goes back to a list that has it', async () => {
  const components: Component[] = [];
  let body: unknown;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const { user, router } = await openFromList(paths.components.create, components);
  server.use(
    http.post(apiUrl(endpoints.components.create), async ({ request }) => {
      body = await request.json();
      await finished;
      components.unshift(component('API', { status: 'MAJOR_OUTAGE' }));
      return success(components[0], { status: 201 });
    }),
  );
  await typeName(user, 'API');
  await user.click(screen.getByRole('radio', { name: 'Major Outage' }));
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByRole('button', { name: 'Creating...' })).toBeDisabled();
  finish();
  expect(await screen.findByText('Component Created')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
  expect(await screen.findByText('API')).toBeInTheDocument();
  expect(body).toEqual({ name: 'API', status: 'MAJOR_OUTAGE', description: '' });
});

it('asks for a name of at least two characters, and leads to it', async () => {
  const { user } = await openFromList(paths.components.create);
  await typeName(user, ' x ');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Name is required')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('textbox', { name: /^Name/ })).toHaveFocus());
});

it('refuses a date that is entered in part', async () => {
  const { user } = await openFromList(paths.components.create);
  await typeName(user, 'API');
  const date = screen.getByLabelText('Uptime counts from');
  // The browser reports a date without a year so. Its value is empty.
  Object.defineProperty(date, 'validity', { value: { badInput: true } });
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Invalid date format')).toBeInTheDocument();
  await waitFor(() => expect(date).toHaveFocus());
});

it('stays with what was typed when the server refuses, and says so beside the field', async () => {
  const { user, router } = await openFromList(paths.components.create);
  server.use(
    http.post(apiUrl(endpoints.components.create), () =>
      problem(422, 'Some fields are wrong', [{ field: 'name', message: 'Must not contain NUL' }]),
    ),
  );
  await typeName(user, 'API');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Must not contain NUL')).toBeInTheDocument();
  expect(screen.getByText('Error')).toBeInTheDocument();
  expect(await name()).toHaveValue('API');
  expect(router.state.location.pathname).toBe(paths.components.create);
});

it('goes back by Cancel, whatever was typed', async () => {
  const { user, router } = await openFromList(paths.components.create);
  await typeName(user, 'API');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
});

it('saves an edit on top of the version it was loaded at', async () => {
  let saved: unknown;
  let arrive: (() => void) | undefined;
  let store: (() => void) | undefined;
  const components = [website];
  server.use(
    http.get(apiUrl(endpoints.components.item('website')), async () => {
      await new Promise<void>((resolve) => (arrive = resolve));
      return success(website, { etag: '"7"' });
    }),
    http.patch(apiUrl(endpoints.components.item('website')), async ({ request }) => {
      const body = (await request.json()) as Component;
      saved = [request.headers.get('If-Match'), body];
      await new Promise<void>((resolve) => (store = resolve));
      components[0] = { ...website, ...body };
      return success(components[0]);
    }),
  );
  const { user, router } = await openFromList(paths.components.edit('website'), components);
  expect(await screen.findByRole('heading', { name: 'Edit Component' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Update' })).toBeDisabled();
  await waitFor(() => expect(arrive).toBeDefined());
  arrive?.();
  expect(await screen.findByDisplayValue('The public site')).toBeInTheDocument();
  await typeName(user, 'Site');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByRole('button', { name: 'Updating...' })).toBeDisabled();
  await waitFor(() => expect(store).toBeDefined());
  store?.();
  expect(await screen.findByText('Component Updated')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
  expect(await screen.findByText('Site')).toBeInTheDocument();
  expect(saved).toEqual([
    '"7"',
    { name: 'Site', status: 'OPERATIONAL', description: 'The public site' },
  ]);
});

it('shows the version another user saved first, and continues with the chosen one', async () => {
  const versions = [website, component('Website EU', { id: 'website', status: 'DEGRADED' })];
  const conditions: (string | null)[] = [];
  server.use(
    http.get(apiUrl(endpoints.components.item('website')), () =>
      success(versions[0], { etag: '"7"' }),
    ),
    http.patch(apiUrl(endpoints.components.item('website')), ({ request }) => {
      conditions.push(request.headers.get('If-Match'));
      if (conditions.length > 1) return success(website);
      server.use(
        http.get(apiUrl(endpoints.components.item('website')), () =>
          success(versions[1], { etag: '"8"' }),
        ),
      );
      return problem(412, 'Somebody else has changed it');
    }),
  );
  const { user, router } = await openFromList(paths.components.edit('website'));
  await typeName(user, 'Site');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(
    await screen.findByText('This component has changed since you opened it'),
  ).toBeInTheDocument();
  expect(screen.getByText('Website EU')).toBeInTheDocument();
  expect(await name()).toHaveValue('Site');

  await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
  expect(await name()).toHaveValue('Website EU');
  expect(screen.getByRole('radio', { name: 'Degraded Performance' })).toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
  expect(conditions).toEqual(['"7"', '"8"']);
});

it('says that a deleted component cannot be edited, and goes back', async () => {
  server.use(
    http.get(apiUrl(endpoints.components.item('gone')), () => problem(404, 'No such component')),
  );
  const { router } = await openFromList(paths.components.edit('gone'));
  expect(await screen.findByText('Error loading component')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
});

it('leads from a component to a new incident that affects it', async () => {
  server.use(http.get(apiUrl(endpoints.components.item('website')), () => success(website)));
  renderRoutes(componentRoutes, { path: paths.components.edit('website') });
  expect(await screen.findByRole('link', { name: 'Open Incident' })).toHaveAttribute(
    'href',
    '/incidents/incident/create?component=website',
  );
});
