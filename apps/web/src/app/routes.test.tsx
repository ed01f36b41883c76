import { act, screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import type { AuthState } from '@/auth/auth';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { success, apiUrl, problem, server } from '@/testing/server';
import { renderApp, serveOverviews, signedIn, withoutOrganisation } from './testing';

const signedOut: AuthState = { status: 'signed-out' };
const valid = 'email=ada%40example.com&orgId=org-1';

beforeEach(serveOverviews);

it.each([
  ['/', signedIn, '/dashboard'],
  ['/', withoutOrganisation, '/onboarding'],
  ['/login', signedIn, '/dashboard'],
  ['/login', withoutOrganisation, '/onboarding'],
  ['/onboarding', signedIn, '/dashboard'],
  ['/onboarding', signedOut, '/'],
  ['/dashboard', withoutOrganisation, '/onboarding'],
  ['/dashboard', signedOut, '/'],
  ['/metrics', signedOut, '/'],
  ['/components', withoutOrganisation, '/onboarding'],
  ['/components', signedOut, '/'],
  ['/components/component/create', signedOut, '/'],
  ['/components/component/edit/1', withoutOrganisation, '/onboarding'],
  ['/incidents', signedOut, '/'],
  ['/incidents/incident/create', withoutOrganisation, '/onboarding'],
  ['/incidents/incident/edit/1', signedOut, '/'],
  ['/schedules', signedOut, '/'],
  ['/schedules/maintenance/create', withoutOrganisation, '/onboarding'],
  ['/schedules/maintenance/edit/1', signedOut, '/'],
  ['/subscribers', signedOut, '/'],
  ['/verify', signedOut, '/'],
  [`/verify?${valid}`, signedOut, '/'],
  ['/verify?email=ada&orgId=org-1&verificationCode=1', signedOut, '/'],
  ['/unsubscribe', signedOut, '/'],
  [`/unsubscribe?${valid}&unsubscribeCode=`, signedOut, '/'],
])('%s redirects users who may not see it', async (path, auth, goal) => {
  const { router } = renderApp(path, { auth });
  await waitFor(() => expect(router.state.location.pathname).toBe(goal));
  expect(router.state.location.search).toBe('');
  expect(await screen.findByRole('heading', { level: 1 })).toBeInTheDocument();
});

it.each([
  ['/', signedOut, 'When something breaks, be first to say so'],
  ['/login', signedOut, 'Sign in'],
  ['/onboarding', withoutOrganisation, 'Onboarding'],
  ['/dashboard', signedIn, 'Dashboard'],
  ['/metrics', signedIn, 'Metrics'],
  ['/docs', signedOut, 'Documentation'],
  ['/docs', signedIn, 'Documentation'],
  ['/docs/quick-start', signedOut, 'Quick start'],
  ['/docs/decisions/two-pages', signedOut, 'The web app is two pages'],
  ['/docs/nginx.conf', signedOut, 'nginx.conf'],
  ['/docs/api-reference', signedOut, 'API reference'],
  ['/docs/nowhere', signedOut, 'Page Not Found'],
  ['/about', signedOut, 'About Allclear'],
  ['/blog', signedOut, 'Blog'],
  ['/blog/2026-11-21-two-pages', signedOut, 'Why the status page is not part of the app'],
  ['/blog/nowhere', signedOut, 'Page Not Found'],
  ['/careers', signedOut, 'Careers'],
  ['/legal', signedIn, 'Legal'],
  ['/components/component/create', signedIn, 'Create Component'],
  ['/schedules/maintenance/create', signedIn, 'Create Maintenance'],
  ['/organisation', signedIn, 'Organisation'],
  ['/waitlist', signedIn, 'Page Not Found'],
  ['/nowhere', signedIn, 'Page Not Found'],
  ['/components/nowhere', signedIn, 'Page Not Found'],
  ['/discord', signedIn, 'Not Set Up'],
  ['/sponsor', signedOut, 'Not Set Up'],
  ['/nowhere', signedOut, 'Page Not Found'],
])('%s shows its screen', async (path, auth, heading) => {
  server.use(http.get(apiUrl(endpoints.components.list), () => success([])));
  const { router } = renderApp(path, { auth });
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeInTheDocument();
  expect(router.state.location.pathname).toBe(path);
});

it.each([
  [endpoints.subscribers.verify, `/verify?${valid}&verificationCode=1`, 'Email Verified!'],
  [
    endpoints.subscribers.unsubscribe,
    `/unsubscribe?${valid}&unsubscribeCode=1`,
    'Successfully Unsubscribed',
  ],
])('follows a mailed link for a signed-in user, too', async (call, path, heading) => {
  server.use(
    http.post(apiUrl(call), () => success({})),
    http.get(apiUrl(endpoints.status('org-1')), () =>
      success({ organisation: { pageTitle: 'Meridian Cloud' } }),
    ),
  );
  renderApp(path);
  expect(await screen.findByRole('heading', { name: heading })).toBeInTheDocument();
});

it('shows the texts of the not-found page, with a link to the landing page', async () => {
  renderApp('/nowhere', { auth: signedOut });
  expect(
    await screen.findByText("Oops! The page you're looking for doesn't exist or has been moved."),
  ).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/');
});

it('shows no screen and redirects nowhere before the session is known', async () => {
  const { router, become } = renderApp('/dashboard', { auth: { status: 'loading' } });
  expect(await screen.findByText('Loading...')).toBeInTheDocument();
  await waitFor(() => expect(router.state.initialized).toBe(true));
  expect(screen.queryByRole('heading', { name: 'Dashboard' })).not.toBeInTheDocument();
  expect(router.state.location.pathname).toBe('/dashboard');
  act(() => become(signedIn));
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeInTheDocument();
});

it.each([paths.components.list, paths.components.edit('1')])(
  'moves the focus to the screen of another organisation (%s)',
  async (path) => {
    server.use(
      http.get(apiUrl(endpoints.components.list), () => success([])),
      http.get(apiUrl(endpoints.componentGroups.list), () => success([])),
      http.get(apiUrl(endpoints.components.item('1')), () => success(component('API'))),
    );
    const { become } = renderApp(path);
    (await screen.findByRole('button', { name: 'Switch organisation' })).focus();
    const organisation = { id: 'org-2', name: 'Other', role: 'editor' } as const;
    act(() => become({ ...signedIn, organisation }));
    await waitFor(() => expect(screen.getByRole('main')).toHaveFocus());
  },
);

it('moves the focus to the first screen after a sign-in', async () => {
  const { become } = renderApp('/login', { auth: signedOut });
  await screen.findByRole('heading', { name: 'Sign in' });
  act(() => become(signedIn));
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(screen.getByRole('main')).toHaveFocus();
});

it('leaves the focus at the beginning of a page that has been loaded', async () => {
  renderApp('/dashboard');
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(document.body).toHaveFocus();
});

it('mounts again, without any state of the old one, when the organisation changes', async () => {
  const names: Record<string, string> = { first: 'Website', second: 'Payments' };
  let current = 'first';
  server.use(
    http.get(apiUrl(endpoints.components.list), () =>
      success([{ id: current, name: names[current], description: '', status: 'OPERATIONAL' }]),
    ),
  );
  const { become } = renderApp(paths.components.list);
  await screen.findByText('Website');
  current = 'second';
  act(() => become({ ...signedIn, organisation: { id: 'org-2', name: 'Other', role: 'editor' } }));
  expect(screen.queryByText('Website')).not.toBeInTheDocument();
  expect(await screen.findByText('Payments')).toBeInTheDocument();
});

it('leaves an item of the old organisation for the list of the new one', async () => {
  const website = { id: '1', name: 'Website', description: '', status: 'OPERATIONAL' };
  let asked = 0;
  server.use(
    http.get(apiUrl(endpoints.components.item('1')), () => {
      asked += 1;
      return asked === 1 ? success(website) : problem(404, 'No such component');
    }),
    http.get(apiUrl(endpoints.components.list), () => success([])),
  );
  const { router, become } = renderApp(paths.components.edit('1'));
  await screen.findByDisplayValue('Website');
  act(() => become({ ...signedIn, organisation: { id: 'org-2', name: 'Other', role: 'editor' } }));
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  expect(router.state.location.pathname).toBe(paths.components.list);
  expect(screen.queryByText('Error loading component')).not.toBeInTheDocument();
  expect(asked).toBe(1);
});

it('leaves the filter by a thing of the old organisation', async () => {
  const asked: (string | null)[] = [];
  server.use(
    http.get(apiUrl(endpoints.audit(new URLSearchParams())), ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('targetId'));
      return success([]);
    }),
  );
  const { router, become } = renderApp(paths.history('1'));
  await waitFor(() => expect(asked).toEqual(['1']));
  act(() => become({ ...signedIn, organisation: { id: 'org-2', name: 'Other', role: 'admin' } }));
  await waitFor(() => expect(asked).toEqual(['1', null]));
  expect(router.state.location).toMatchObject({ pathname: paths.audit, search: '' });
});

it.each([
  ['/status/org-9', 'There is no status page here'],
  ['/nowhere/at/all', 'Page Not Found'],
])('stays on a page of everyone when the organisation changes (%s)', async (path, heading) => {
  server.use(http.get(apiUrl(endpoints.status('org-9')), () => problem(404, 'Not found')));
  const { router, become } = renderApp(path);
  await screen.findByRole('heading', { level: 1, name: heading });
  act(() => become({ ...signedIn, organisation: { id: 'org-2', name: 'Other', role: 'editor' } }));
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeInTheDocument();
  expect(router.state.location.pathname).toBe(path);
});

it('goes to the landing page when the user signs out', async () => {
  const { router, become } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  act(() => become(signedOut));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.landing));
});

it('leads to the screen of a link after the sign-in', async () => {
  server.use(http.get(apiUrl(endpoints.components.list), () => success([])));
  const { router, become } = renderApp('/components?status=any#groups', { auth: signedOut });
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.landing));
  await act(() => router.navigate(paths.login));
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument();
  act(() => become(signedIn));
  expect(await screen.findByRole('heading', { name: 'Components' })).toBeInTheDocument();
  expect(router.state.location).toMatchObject({ search: '?status=any', hash: '#groups' });
  expect(sessionStorage).toHaveLength(0);
});

it('forgets the screen after a sign-out', async () => {
  server.use(http.get(apiUrl(endpoints.components.list), () => success([])));
  const { router, become } = renderApp('/components');
  await screen.findByRole('heading', { name: 'Components' });
  act(() => become(signedOut));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.landing));
  act(() => become(signedIn));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.dashboard));
});

it('says that something unexpected happened, and keeps the way to other screens', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  server.use(http.get(apiUrl(endpoints.components.list), () => success([null])));
  const { user } = renderApp(paths.components.list);
  expect(
    await screen.findByRole('heading', { name: 'Unexpected Application Error' }),
  ).toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Dashboard' }));
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeInTheDocument();
});
