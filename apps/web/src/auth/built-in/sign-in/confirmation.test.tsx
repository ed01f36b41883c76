import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { ada, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server, hold } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

const who = () => screen.getByTestId('who').textContent;
const title = () => screen.getByRole('heading', { level: 1 }).textContent;

it('follows the link of a sign-up once, and signs in', async () => {
  const backend = serveSession(null);
  let confirmed = 0;
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), async ({ request }) => {
      expect(await request.json()).toEqual({ token: 'c-1' });
      confirmed += 1;
      backend.session = sessionOf();
      return success({ user: ada }, { status: 201 });
    }),
  );
  renderPiece(SignInScreen, 'signed-out', { address: '/login?confirmation=c-1' });
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
  expect(confirmed).toBe(1);
  expect(window.location.href).not.toContain('c-1');
});

it('signs in although the response to a link is cut off', async () => {
  const backend = serveSession(null);
  let confirmed = 0;
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), () => {
      confirmed += 1;
      backend.session = sessionOf();
      return new HttpResponse('{"data":', { status: 201 });
    }),
  );
  renderPiece(SignInScreen, 'signed-out', { address: '/login?confirmation=c-1' });
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
  expect(confirmed).toBe(1);
});

it('says that a link is wrong or has expired, and leads to a new one', async () => {
  serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), () =>
      problem(400, 'This link is wrong or has expired'),
    ),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', {
    address: '/login?confirmation=c-1',
  });
  expect(await screen.findByRole('alert')).toHaveTextContent('This link is wrong or has expired');
  await user.click(screen.getByRole('button', { name: 'Sign up again' }));
  expect(title()).toBe('Create account');
  expect(window.location.href).not.toContain('c-1');
});

it('tries a link again when the server could not be asked', async () => {
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), () => problem(503, 'Unavailable'), {
      once: true,
    }),
    http.post(apiUrl(endpoints.identity.confirmSignUp), () => {
      backend.session = sessionOf();
      return success({ user: ada }, { status: 201 });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', {
    address: '/login?confirmation=c-1',
  });
  await user.click(await screen.findByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(who()).toMatch(/^signed-in/));
});

it('uses a link once although the session cannot be read for a moment', async () => {
  const backend = serveSession(null);
  let confirmed = 0;
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), () => {
      confirmed += 1;
      backend.session = sessionOf();
      server.use(
        http.get(apiUrl(endpoints.identity.session), () => problem(503, 'Unavailable'), {
          once: true,
        }),
      );
      return success({ user: ada }, { status: 201 });
    }),
  );
  renderPiece(SignInScreen, 'signed-out', { address: '/login?confirmation=c-1' });
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
  expect(confirmed).toBe(1);
});

it('asks an account without an address of its own for one before anything else', async () => {
  serveSession(sessionOf({ user: { ...ada, needsAddress: true } }));
  const { user } = renderPiece(SignInScreen, 'signed-out');
  expect(await screen.findByRole('heading', { name: 'Enter a new address' })).toBeVisible();
  expect(who()).toBe('signed-out');
  server.use(
    http.post(apiUrl(endpoints.identity.address), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@new.example' });
      return success({ pending: true }, { status: 202 });
    }),
  );
  await user.type(screen.getByLabelText('Email'), 'ada@new.example');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByRole('heading', { name: 'Check your mailbox' })).toBeVisible();
  expect(screen.getByText('ada@new.example')).toBeVisible();
});

it('confirms a new address', async () => {
  const backend = serveSession(sessionOf({ user: { ...ada, needsAddress: true } }));
  server.use(
    http.post(apiUrl(endpoints.identity.confirmAddress), () => {
      backend.session = sessionOf();
      return success({ user: ada });
    }),
  );
  renderPiece(SignInScreen, 'signed-out', { address: '/login?address=a-1' });
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
});

it('keeps the link of a new address until the user has signed in', async () => {
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf({ user: { ...ada, needsAddress: true } });
      return success({ user: ada });
    }),
    http.post(apiUrl(endpoints.identity.confirmAddress), async ({ request }) => {
      expect(backend.session).not.toBeNull();
      expect(await request.json()).toEqual({ token: 'a-1' });
      backend.session = sessionOf();
      return success({ user: ada });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login?address=a-1' });
  expect(await screen.findByText(/^Sign in to the account/)).toBeVisible();
  expect(title()).toBe('Sign in');
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
  expect(window.location.href).not.toContain('a-1');
});

it('asks an account with an address before its new one counts, once the user has signed in', async () => {
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf();
      return success({ user: ada });
    }),
    http.post(apiUrl(endpoints.identity.confirmAddress), async ({ request }) => {
      expect(await request.json()).toEqual({ token: 'a-1' });
      return success({ user: { ...ada, email: 'ada@new.example' } });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login?address=a-1' });
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  const question = await screen.findByRole('dialog', { name: 'Confirm the address?' });
  expect(question).toHaveAccessibleDescription(/Your other sessions end/);
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Address confirmed')).toBeVisible();
  expect(window.location.href).not.toContain('a-1');
});

it('opens where a mail leads to a new password', async () => {
  serveSession(null);
  renderPiece(SignInScreen, 'signed-out', { address: '/login?forgot' });
  expect(await screen.findByRole('heading', { level: 1 })).toBeVisible();
});

it('asks a signed-in user before it follows the link of another account', async () => {
  const backend = serveSession(sessionOf());
  server.use(
    http.post(apiUrl(endpoints.identity.confirmSignUp), () => {
      backend.session = sessionOf({ organisations: [], activeOrganisationId: null });
      return success({ user: ada }, { status: 201 });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', {
    address: '/login?confirmation=c-1',
  });
  await screen.findByRole('dialog', { name: 'Create the account?' });
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(who()).toBe('signed-in'));
});

it('stays open while it follows the link, and says what became of it', async () => {
  serveSession(sessionOf());
  const { held, release } = hold();
  server.use(
    http.post(apiUrl(endpoints.identity.confirmAddress), async () => {
      await held;
      return problem(400, 'This link is wrong or has expired');
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login?address=a-1' });
  await screen.findByRole('dialog', { name: 'Confirm the address?' });
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('button', { name: 'Confirming...' });
  expect(screen.getByRole('button', { name: 'Not now' })).toBeDisabled();
  await user.keyboard('{Escape}');
  release();
  expect(await screen.findByText('This link is wrong or has expired')).toBeVisible();
});

it('says that an account without an address of its own could not be signed out', async () => {
  serveSession(sessionOf({ user: { ...ada, needsAddress: true } }));
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => problem(503, 'Unavailable')));
  const { user } = renderPiece(SignInScreen, 'signed-out');
  await user.click(await screen.findByRole('button', { name: 'Sign out' }));
  expect(await screen.findByText('Unavailable')).toBeVisible();
});
