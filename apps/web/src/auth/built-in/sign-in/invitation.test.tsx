import { act, screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { engines, looms, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server, hold } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

const address = '/login?invitation=i-1';

const inspected = http.post(apiUrl(endpoints.identity.inspectInvitation), async ({ request }) => {
  expect(await request.json()).toEqual({ token: 'i-1' });
  return success({
    organisation: { id: looms.id, name: looms.name },
    email: 'ada@example.com',
    role: 'editor',
  });
});

const who = () => screen.getByTestId('who').textContent;

function openInvitation() {
  const backend = serveSession(null);
  return { backend, ...renderPiece(SignInScreen, 'signed-out', { address }) };
}

it('lets a new account in, with the address that was invited', async () => {
  server.use(inspected);
  const { user, backend } = openInvitation();
  expect(await screen.findByRole('heading', { name: 'Join Looms' })).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  server.use(
    http.post(apiUrl(endpoints.identity.signUp), async ({ request }) => {
      expect(await request.json()).toEqual({
        name: 'Ada',
        email: 'ada@example.com',
        password: 'a few words of mine',
        invitationToken: 'i-1',
      });
      backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
      return success({}, { status: 201 });
    }),
  );
  await user.type(screen.getByLabelText('Name'), 'Ada');
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
  expect(window.location.href).not.toContain('i-1');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('lets an account in that there is already, and into the organisation', async () => {
  server.use(inspected);
  const { user, backend } = openInvitation();
  await user.click(await screen.findByRole('button', { name: 'Join with an account you have' }));
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf();
      return success({});
    }),
    http.post(apiUrl(endpoints.identity.acceptInvitation), async ({ request }) => {
      expect(await request.json()).toEqual({ token: 'i-1' });
      backend.session = sessionOf({ organisations: [looms, engines] });
      return success({ organisation: { id: looms.id, name: looms.name } });
    }),
  );
  await user.type(screen.getByLabelText('Password'), 'my words');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
  expect(window.location.href).not.toContain('i-1');
});

it('signs in all the same when the invitation can no longer be accepted, and says so', async () => {
  server.use(inspected);
  const { user, backend } = openInvitation();
  await user.click(await screen.findByRole('button', { name: 'Join with an account you have' }));
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf();
      return success({});
    }),
    http.post(apiUrl(endpoints.identity.acceptInvitation), () =>
      problem(400, 'This invitation is wrong or has expired'),
    ),
  );
  await user.type(screen.getByLabelText('Password'), 'my words');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
  expect(await screen.findByText('This invitation is wrong or has expired')).toBeVisible();
});

it('says that an invitation is wrong or has expired, and leads on to sign-in', async () => {
  server.use(
    http.post(apiUrl(endpoints.identity.inspectInvitation), () =>
      problem(400, 'This invitation is wrong or has expired'),
    ),
  );
  const { user } = openInvitation();
  expect(await screen.findByRole('alert')).toHaveTextContent('is wrong or has expired');
  expect(screen.getByText('Ask the person who invited you for a new link.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Try Again' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Back to sign in' }));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Sign in');
  expect(window.location.href).not.toContain('i-1');
});

it('reads the invitation again when the server could not be asked', async () => {
  server.use(
    http.post(apiUrl(endpoints.identity.inspectInvitation), () => problem(503, 'Unavailable'), {
      once: true,
    }),
    inspected,
  );
  const { user } = openInvitation();
  await user.click(await screen.findByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('heading', { name: 'Join Looms' })).toBeVisible();
});

it('asks a signed-in user whether to join, and goes to the organisation', async () => {
  server.use(inspected);
  const backend = serveSession(sessionOf());
  const { user } = renderPiece(SignInScreen, 'signed-out', { address });
  expect(await screen.findByRole('dialog', { name: 'Join Looms?' })).toBeVisible();
  server.use(
    http.post(apiUrl(endpoints.identity.acceptInvitation), () => {
      backend.session = sessionOf({ organisations: [looms, engines] });
      return success({ organisation: { id: looms.id, name: looms.name } });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Join' }));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(window.location.href).not.toContain('i-1');
});

it('stays open while a signed-in user joins, and shows only the last failure', async () => {
  server.use(inspected);
  serveSession(sessionOf());
  const { user } = renderPiece(SignInScreen, 'signed-out', { address });
  const { held, release } = hold();
  server.use(
    http.post(apiUrl(endpoints.identity.acceptInvitation), () => problem(503, 'Unavailable'), {
      once: true,
    }),
    http.post(apiUrl(endpoints.identity.acceptInvitation), async () => {
      await held;
      return problem(400, 'This invitation is wrong or has expired');
    }),
  );
  await user.click(await screen.findByRole('button', { name: 'Join' }));
  expect(await screen.findByText('Unavailable')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Join' }));
  await screen.findByRole('button', { name: 'Joining...' });
  expect(screen.queryByText('Unavailable')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Not now' })).toBeDisabled();
  await user.keyboard('{Escape}');
  release();
  expect(await screen.findByText('This invitation is wrong or has expired')).toBeVisible();
});

it('lets a signed-in user decline the invitation', async () => {
  server.use(inspected);
  serveSession(sessionOf());
  const { user } = renderPiece(SignInScreen, 'signed-out', { address });
  expect(await screen.findByRole('dialog', { name: 'Join Looms?' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Not now' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(who()).toBe('signed-in in Analytical Engines');
});

it('asks before it discards a new password, and stays open while that is saved', async () => {
  serveSession(sessionOf());
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login?reset=r-1' });
  await screen.findByRole('dialog', { name: 'Choose a new password' });
  const { held, release } = hold();
  server.use(
    http.post(apiUrl(endpoints.identity.confirmPasswordReset), async () => {
      await held;
      return problem(503, 'Unavailable');
    }),
  );
  await user.type(screen.getByLabelText('New password'), 'a few words of mine');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Keep Editing' }));
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  await screen.findByRole('button', { name: 'Changing password...' });
  await user.keyboard('{Escape}');
  release();
  expect(await screen.findByText('Unavailable')).toBeVisible();
});

it('resets the password of a signed-in user, signs the user out, and goes on saying what to check', async () => {
  const backend = serveSession(sessionOf());
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login?reset=r-1' });
  await screen.findByRole('dialog', { name: 'Choose a new password' });
  server.use(
    http.post(apiUrl(endpoints.identity.confirmPasswordReset), () => {
      backend.session = null;
      return success(null);
    }),
  );
  await user.type(screen.getByLabelText('New password'), 'a few words of mine');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  await waitFor(() => expect(who()).toBe('signed-out'));
  expect(await screen.findByText(/Your password is changed/)).toBeVisible();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.getByRole('listitem')).toHaveAttribute('data-leaving', 'false');
});
