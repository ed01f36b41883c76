import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { endpoints } from '@/paths';
import { renderRoutes } from '@/testing/render';
import { success, apiUrl, problem, server } from '@/testing/server';
import { linkRoutes } from './link-routes';

const routes = [...linkRoutes, { path: '/', element: <h1>Home</h1> }];
const signedOut = { status: 'signed-out' } as const;
const person = 'email=ada%40example.com&orgId=org-1';
const open = (path: string) => renderRoutes(routes, { path, auth: signedOut });

beforeEach(() => {
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () =>
      success({ organisation: { pageTitle: 'Meridian Cloud' } }),
    ),
  );
});

const toasts = () => within(screen.getByRole('region', { name: /Notifications/ }));

it('verifies the address that the link names, once', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.verify), async ({ request }) => {
      bodies.push(await request.json());
      return success({});
    }),
  );
  open(`/verify?${person}&verificationCode=c0de&utm=mail`);
  expect(screen.getByRole('heading', { name: 'Verifying Email' })).toBeInTheDocument();
  expect(await screen.findByRole('heading', { name: 'Email Verified!' })).toBeInTheDocument();
  expect(toasts().getByText('Email verified successfully!')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View Status Page' })).toHaveAttribute(
    'href',
    '/status/org-1',
  );
  expect(bodies).toEqual([{ email: 'ada@example.com', orgId: 'org-1', verificationCode: 'c0de' }]);
});

it.each([
  ['/verify', 'verificationCode', endpoints.subscribers.verify],
  ['/unsubscribe', 'unsubscribeCode', endpoints.subscribers.unsubscribe],
])('says on %s whose updates they are', async (path, code, call) => {
  server.use(http.post(apiUrl(call), () => success({})));
  open(`${path}?${person}&${code}=c0de`);
  expect(await screen.findByText('Meridian Cloud')).toBeVisible();
});

it('says why an address is not verified, and tries again only when asked', async () => {
  let asked = 0;
  server.use(
    http.post(apiUrl(endpoints.subscribers.verify), () => {
      asked += 1;
      return asked === 1 ? problem(503, 'Try again later') : success({});
    }),
  );
  const { user } = open(`/verify?${person}&verificationCode=c0de`);
  expect(await screen.findByRole('heading', { name: 'Verification Failed' })).toBeInTheDocument();
  expect(screen.getByText('Try again later')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go Back' })).toHaveAttribute('href', '/');
  expect(screen.getByRole('link', { name: 'View Status Page' })).toHaveAttribute(
    'href',
    '/status/org-1',
  );
  expect(asked).toBe(1);
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('heading', { name: 'Email Verified!' })).toBeInTheDocument();
});

it('keeps the focus on the button that tries again when that fails', async () => {
  server.use(http.post(apiUrl(endpoints.subscribers.verify), () => problem(400, 'Wrong code')));
  const { user } = open(`/verify?${person}&verificationCode=c0de`);
  await user.click(await screen.findByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Try Again' })).toHaveFocus());
});

it('unsubscribes, and links to the landing page', async () => {
  server.use(http.post(apiUrl(endpoints.subscribers.unsubscribe), () => success({})));
  const { user, router } = open(`/unsubscribe?${person}&unsubscribeCode=c0de`);
  expect(
    screen.getByRole('heading', { name: 'Processing Unsubscribe Request' }),
  ).toBeInTheDocument();
  expect(
    await screen.findByRole('heading', { name: 'Successfully Unsubscribed' }),
  ).toBeInTheDocument();
  expect(toasts().getByText('Successfully unsubscribed!')).toBeInTheDocument();
  expect(screen.getByText(/You can subscribe again on the status page/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View Status Page' })).toHaveAttribute(
    'href',
    '/status/org-1',
  );
  await user.click(screen.getByRole('link', { name: 'Return Home' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
});

it('says that it could not unsubscribe', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.unsubscribe), () => problem(400, 'Wrong code')),
  );
  open(`/unsubscribe?${person}&unsubscribeCode=c0de`);
  expect(await screen.findByRole('heading', { name: 'Unsubscribe Failed' })).toBeInTheDocument();
  expect(screen.getByText('Wrong code')).toBeInTheDocument();
});

it.each([
  ['/verify', 'verificationCode', endpoints.subscribers.verify, 'Unable to verify email'],
  [
    '/unsubscribe',
    'unsubscribeCode',
    endpoints.subscribers.unsubscribe,
    'Unable to process unsubscribe request',
  ],
])('says that %s failed when the response has no reason', async (path, code, call, text) => {
  let asked = 0;
  server.use(
    http.post(apiUrl(call), () => {
      asked += 1;
      return asked === 1 ? HttpResponse.error() : new HttpResponse('<html>', { status: 502 });
    }),
  );
  const { user } = open(`${path}?${person}&${code}=c0de`);
  expect(await screen.findByText(text)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(asked).toBe(2));
  expect(await screen.findByText(text)).toBeInTheDocument();
});

it('takes a link to an address with letters outside ASCII in its domain', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.verify), async ({ request }) => {
      expect(await request.json()).toMatchObject({ email: 'ada+status@exämple.com' });
      return success({});
    }),
  );
  const email = encodeURIComponent('ada+status@exämple.com');
  open(`/verify?email=${email}&orgId=org-1&verificationCode=c0de`);
  expect(await screen.findByRole('heading', { name: 'Email Verified!' })).toBeInTheDocument();
});

it('links to the landing page after a failure', async () => {
  server.use(
    http.post(apiUrl(endpoints.subscribers.unsubscribe), () => problem(400, 'Wrong code')),
  );
  const { user, router } = open(`/unsubscribe?${person}&unsubscribeCode=c0de`);
  await user.click(await screen.findByRole('link', { name: 'Go Back' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
});

it('confirms a webhook by the id of its subscriber, and shows its secret', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.verify), async ({ request }) => {
      bodies.push(await request.json());
      return success({ secret: 'whsec_c2VjcmV0' });
    }),
  );
  const { user } = open('/verify?subscriberId=s-1&orgId=org-1&verificationCode=c0de');
  expect(screen.getByRole('heading', { name: 'Confirming Subscription' })).toBeInTheDocument();
  expect(
    await screen.findByRole('heading', { name: 'Subscription Confirmed!' }),
  ).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Signing secret' })).toHaveValue('whsec_c2VjcmV0');
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(isAsked()).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Copy: Signing secret' }));
  await screen.findByRole('button', { name: 'Copied: Signing secret' });
  expect(isAsked()).toBe(false);
  expect(bodies).toEqual([{ subscriberId: 's-1', orgId: 'org-1', verificationCode: 'c0de' }]);
});

it('unsubscribes a channel by the id of its subscriber', async () => {
  const bodies: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.unsubscribe), async ({ request }) => {
      bodies.push(await request.json());
      return success(null);
    }),
  );
  open('/unsubscribe?subscriberId=s-1&orgId=org-1&unsubscribeCode=c0de');
  expect(await screen.findByText(/^No more updates will be sent\./)).toBeInTheDocument();
  expect(bodies).toEqual([{ subscriberId: 's-1', orgId: 'org-1', unsubscribeCode: 'c0de' }]);
});
