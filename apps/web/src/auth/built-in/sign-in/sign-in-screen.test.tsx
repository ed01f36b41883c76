import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

type Options = Parameters<typeof renderPiece>[2];

async function openSignIn(options?: Options) {
  const backend = serveSession(null);
  const rendered = renderPiece(SignInScreen, 'signed-out', options);
  await screen.findByRole('heading', { level: 1 });
  return { backend, ...rendered };
}

const title = () => screen.getByRole('heading', { level: 1 }).textContent;
const who = () => screen.getByTestId('who').textContent;

async function fillIn(user: Awaited<ReturnType<typeof openSignIn>>['user'], values: object) {
  for (const [label, value] of Object.entries(values) as [string, string][]) {
    await user.clear(screen.getByLabelText(label));
    await user.type(screen.getByLabelText(label), value);
  }
}

it('signs in', async () => {
  const { user, backend } = await openSignIn();
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@example.com', password: 'secret words' });
      backend.session = sessionOf();
      return success({ user: backend.session.user });
    }),
  );
  await fillIn(user, { Email: ' ada@example.com ', Password: 'secret words' });
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
});

it('is dark in every theme, and sets the title of the tab', async () => {
  await openSignIn();
  expect(screen.getByRole('main').closest('[data-theme]')).toHaveAttribute('data-theme', 'dark');
  expect(document.title).toBe('Sign in · Allclear');
});

it('says that email or password is wrong, and keeps what was typed', async () => {
  const { user } = await openSignIn();
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => problem(401, 'Wrong email or password')),
  );
  await fillIn(user, { Email: 'ada@example.com', Password: 'wrong words' });
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Wrong email or password');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  expect(screen.getByLabelText('Password')).toHaveValue('wrong words');
});

it.each([
  ['40', '40 seconds'],
  ['61', '2 minutes'],
  ['3601', '2 hours'],
])('says how long to wait after too many attempts: %s seconds', async (seconds, said) => {
  const { user } = await openSignIn();
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () =>
      HttpResponse.json(
        { message: 'Too many' },
        { status: 429, headers: { 'Retry-After': seconds } },
      ),
    ),
  );
  await fillIn(user, { Email: 'ada@example.com', Password: 'wrong words' });
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    `Too many attempts. Try again in ${said}.`,
  );
});

it('says beside each field what is missing, and asks the server nothing', async () => {
  const { user } = await openSignIn();
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('Invalid email address')).toBeVisible();
  expect(screen.getByText('Password is required')).toBeVisible();
  await waitFor(() => expect(screen.getByLabelText('Email')).toHaveFocus());
});

it('can be filled in by a password manager, and shows the password on demand', async () => {
  const { user } = await openSignIn();
  const password = screen.getByLabelText('Password');
  expect(screen.getByLabelText('Email')).toHaveAttribute('autocomplete', 'username');
  expect(password).toHaveAttribute('autocomplete', 'current-password');
  expect(password).toHaveAttribute('type', 'password');
  await user.click(screen.getByRole('button', { name: 'Show characters' }));
  expect(password).toHaveAttribute('type', 'text');
  await user.click(screen.getByRole('button', { name: 'Hide characters' }));
  expect(password).toHaveAttribute('type', 'password');
});

it('creates an account by a link that is mailed', async () => {
  const { user } = await openSignIn({ configuration: { mailServer: false } });
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  server.use(
    http.post(apiUrl(endpoints.identity.signUp), async ({ request }) => {
      expect(await request.json()).toEqual({
        name: 'Ada',
        email: 'ada@example.com',
        password: 'a few words of mine',
      });
      return success({ pending: true }, { status: 202, message: 'Check your mailbox to finish' });
    }),
  );
  expect(screen.getByText(/No mail server is set up here yet/)).toBeVisible();
  await fillIn(user, {
    Name: 'Ada',
    Email: 'ada@example.com',
    Password: 'a few words of mine',
  });
  expect(screen.getByLabelText('Password')).toHaveAttribute('autocomplete', 'new-password');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByRole('heading', { name: 'Check your mailbox' })).toHaveFocus();
  expect(screen.getByText('ada@example.com')).toBeVisible();
  expect(screen.getByText(/the links of the mail to its log/)).toBeVisible();
  expect(who()).toBe('signed-out');
});

it('holds a new password to its length and shows what the server says of each field', async () => {
  const { user } = await openSignIn();
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  await fillIn(user, { Name: 'Ada', Email: 'ada@example.com', Password: 'short' });
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Must be at least 10 characters')).toBeVisible();

  server.use(
    http.post(apiUrl(endpoints.identity.signUp), () =>
      problem(422, 'Too common', [{ field: 'password', message: 'Choose another password' }]),
    ),
  );
  await fillIn(user, { Password: 'a few words of mine' });
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Choose another password')).toBeVisible();
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(
    expect.stringContaining('Choose another password'),
  );
});

it('begins with the first account where there is none, until there is one', async () => {
  const { user, backend } = await openSignIn({
    configuration: { firstAccount: true, signUp: 'closed' },
  });
  expect(title()).toBe('Create the first account');
  expect(screen.getByText('It administers this installation.')).toBeVisible();
  server.use(
    http.post(apiUrl(endpoints.identity.signUp), () => {
      backend.session = sessionOf();
      return success({}, { status: 201 });
    }),
    http.post(apiUrl(endpoints.identity.signOut), () => {
      backend.session = null;
      return success({ providerUrl: null });
    }),
  );
  await fillIn(user, { Name: 'Ada', Email: 'a@b.cd', Password: 'a few words of mine' });
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(who()).toMatch(/^signed-in/));

  new BroadcastChannel('allclear:session').postMessage({ kind: 'signed-out' });
  await waitFor(() => expect(who()).toBe('signed-out'));
  expect(title()).toBe('Sign in');
  expect(screen.getByText('Accounts are made by invitation here.')).toBeVisible();
});

it('puts a visitor without an invitation on the waitlist if there is one', async () => {
  const { user } = await openSignIn({ configuration: { signUp: 'waitlist' } });
  await user.click(screen.getByRole('button', { name: 'Join the waitlist' }));
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  server.use(
    http.post(apiUrl(endpoints.identity.signUp), async ({ request }) => {
      expect(await request.json()).toMatchObject({ name: 'Ada', email: 'a@b.cd' });
      return success({ waitlisted: true }, { status: 202, message: 'We will write to you' });
    }),
  );
  await fillIn(user, { Name: 'Ada', Email: 'a@b.cd' });
  await user.click(screen.getByRole('button', { name: 'Join the waitlist' }));
  expect(await screen.findByText('We will write to you')).toBeVisible();
  expect(who()).toBe('signed-out');
});

it('offers no account where sign-up is closed', async () => {
  await openSignIn({ configuration: { signUp: 'closed' } });
  expect(screen.queryByRole('button', { name: 'Create account' })).not.toBeInTheDocument();
  expect(screen.getByText('Accounts are made by invitation here.')).toBeVisible();
});

it('mails a link that resets the password', async () => {
  const { user } = await openSignIn({ configuration: { mailServer: false } });
  await user.click(screen.getByRole('button', { name: 'Forgot your password?' }));
  server.use(
    http.post(apiUrl(endpoints.identity.passwordReset), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@example.com' });
      return success(null, { message: 'If there is an account, a link is on its way' });
    }),
  );
  await fillIn(user, { Email: 'ada@example.com' });
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('If there is an account, a link is on its way')).toBeVisible();
  expect(screen.getByText(/No mail server is set up here yet/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Back to sign in' }));
  expect(title()).toBe('Sign in');
});

it('changes the password by a mailed link and takes its token out of the address', async () => {
  const { user } = await openSignIn({ address: '/login?reset=r-1' });
  expect(title()).toBe('Choose a new password');
  server.use(
    http.post(apiUrl(endpoints.identity.confirmPasswordReset), async ({ request }) => {
      expect(await request.json()).toEqual({ token: 'r-1', password: 'a few words of mine' });
      return success(null);
    }),
  );
  await fillIn(user, { 'New password': 'a few words of mine' });
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  expect(
    await screen.findByText(/check the passkeys and second factors .* API keys/),
  ).toBeVisible();
  expect(title()).toBe('Sign in');
  expect(window.location.href).not.toContain('r-1');
});

it('says that a reset link is wrong or has expired', async () => {
  const { user } = await openSignIn({ address: '/login?reset=r-1' });
  server.use(
    http.post(apiUrl(endpoints.identity.confirmPasswordReset), () =>
      problem(400, 'This link is wrong or has expired'),
    ),
  );
  await fillIn(user, { 'New password': 'a few words of mine' });
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('This link is wrong or has expired');
});

it('leads home by its logo', async () => {
  await openSignIn();
  const home = screen.getByRole('link', { name: 'Allclear, home' });
  expect(home).toHaveAttribute('href', '/');
  expect(within(home).getByText('Allclear')).toBeVisible();
});

it('waits like everybody else when the first account was made by another in the meantime', async () => {
  const { user } = await openSignIn({
    configuration: { firstAccount: true, signUp: 'waitlist' },
  });
  server.use(
    http.post(apiUrl(endpoints.identity.signUp), () =>
      success({ waitlisted: true }, { status: 202, message: 'We will write to you' }),
    ),
  );
  await fillIn(user, { Name: 'Ada', Email: 'a@b.cd', Password: 'a few words of mine' });
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('We will write to you')).toBeVisible();
});
