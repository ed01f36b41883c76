import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { ada, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { UserMenu } from './user-menu';

type Options = Parameters<typeof renderPiece>[2];

async function openMenu(session = sessionOf(), options: Options = {}) {
  const backend = serveSession(session);
  const rendered = renderPiece(UserMenu, 'signed-in', options);
  await rendered.user.click(await screen.findByRole('button', { name: /^Account of/ }));
  return { backend, ...rendered };
}

async function openProfile() {
  const opened = await openMenu();
  await opened.user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  return opened;
}

it('shows the signed-in user', async () => {
  await openMenu();
  expect(screen.getByText('Ada Lovelace')).toBeInTheDocument();
  expect(screen.getByText('ada@example.com')).toBeVisible();
});

it('reports that the profile was used when it closes', async () => {
  serveSession(sessionOf());
  const onDone = vi.fn();
  const { user } = renderPiece(() => <UserMenu onDone={onDone} />, 'signed-in');
  await user.click(await screen.findByRole('button', { name: /^Account of/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  await screen.findByRole('dialog');
  expect(onDone).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(onDone).toHaveBeenCalledOnce();
});

it('changes the name', async () => {
  const { user, backend } = await openProfile();
  server.use(
    http.patch(apiUrl(endpoints.identity.user), async ({ request }) => {
      expect(await request.json()).toEqual({ name: 'Ada King' });
      backend.session = sessionOf({ user: { ...ada, name: 'Ada King' } });
      return success({ user: backend.session.user });
    }),
  );
  const name = screen.getByLabelText('Name', { selector: 'input' });
  await waitFor(() => expect(screen.getByRole('dialog')).toContainElement(name));
  await user.clear(name);
  await user.type(name, 'Ada King');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('button', { name: 'Account of Ada King' })).toBeInTheDocument();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('keeps the new name that could not be saved', async () => {
  const { user } = await openProfile();
  server.use(http.patch(apiUrl(endpoints.identity.user), () => problem(503, 'Unavailable')));
  await user.type(screen.getByLabelText('Name', { selector: 'input' }), ' King');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Unavailable')).toBeVisible();
  expect(screen.getByLabelText('Name', { selector: 'input' })).toHaveValue('Ada Lovelace King');
});

it('changes the password, and says so where the old one is wrong', async () => {
  const { user } = await openProfile();
  await user.click(screen.getByRole('tab', { name: 'Password' }));
  server.use(
    http.post(
      apiUrl(endpoints.identity.password),
      () =>
        problem(422, 'Wrong password', [{ field: 'currentPassword', message: 'Wrong password' }]),
      { once: true },
    ),
    http.post(apiUrl(endpoints.identity.password), async ({ request }) => {
      expect(await request.json()).toEqual({
        currentPassword: 'old words',
        newPassword: 'a few words of mine',
      });
      return success(null);
    }),
  );
  await user.type(screen.getByLabelText('Current password'), 'old words');
  await user.type(screen.getByLabelText('New password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  expect(await screen.findByText('Wrong password')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  expect(await screen.findByText('Password changed')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('mails a link to a new address, which counts once it is followed', async () => {
  const { user, backend } = await openProfile();
  await user.click(screen.getByRole('tab', { name: 'Email' }));
  server.use(
    http.post(
      apiUrl(endpoints.identity.address),
      () => {
        const message = 'This is the address of your account';
        return problem(422, message, [{ field: 'email', message }]);
      },
      { once: true },
    ),
    http.post(apiUrl(endpoints.identity.address), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@new.example' });
      return success({ pending: true }, { status: 202 });
    }),
  );
  const field = screen.getByLabelText('New email');
  await user.type(field, 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('This is the address of your account')).toBeVisible();
  expect(field).toHaveAccessibleDescription('This is the address of your account');
  await user.clear(field);
  await user.type(field, 'ada@new.example');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('ada@new.example')).toBeVisible();
  expect(screen.getByRole('tabpanel', { name: 'Email' })).toHaveTextContent(
    'A mail is on its way to ada@new.example. Open its link within 24 hours to finish.',
  );
  expect(backend.session?.user.email).toBe('ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Use another address' }));
  expect(screen.getByLabelText('New email')).toHaveFocus();
});

it('offers no new address to a user who signs in with an identity provider only', async () => {
  const { user } = await openMenu(sessionOf({ ways: { password: false, providers: [] } }));
  await user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  expect(await screen.findByRole('tab', { name: 'Password' })).toBeVisible();
  expect(screen.queryByRole('tab', { name: 'Email' })).not.toBeInTheDocument();
});

it('stays open after a save while another tab has typed text', async () => {
  const { user } = await openProfile();
  server.use(
    http.post(apiUrl(endpoints.identity.password), () => success(null)),
    http.patch(apiUrl(endpoints.identity.user), () => success(null)),
  );
  await user.type(screen.getByLabelText('Name', { selector: 'input' }), ' King');
  await user.click(screen.getByRole('tab', { name: 'Password' }));
  await user.type(screen.getByLabelText('Current password'), 'old words');
  await user.type(screen.getByLabelText('New password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  expect(await screen.findByText('Password changed')).toBeVisible();
  await waitFor(() => expect(screen.getByLabelText('Current password')).toHaveValue(''));
  await user.click(screen.getByRole('tab', { name: 'Name' }));
  expect(screen.getByLabelText('Name', { selector: 'input' })).toHaveValue('Ada Lovelace King');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Name changed')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('leads the administrator to the waitlist, where there is one', async () => {
  const administrator = sessionOf({ user: { ...ada, administrator: true } });
  const { user, router } = await openMenu(administrator, {
    configuration: { signUp: 'waitlist' },
  });
  await user.click(screen.getByRole('menuitem', { name: 'Waitlist' }));
  expect(router.state.location.pathname).toBe('/waitlist');
});

it.each([
  ['nobody else', ada, 'waitlist'],
  ['nobody where everybody may sign up', { ...ada, administrator: true }, 'open'],
] as const)('leads %s there', async (_, user, signUp) => {
  await openMenu(sessionOf({ user }), { configuration: { signUp } });
  expect(screen.queryByRole('menuitem', { name: 'Waitlist' })).not.toBeInTheDocument();
});

it('says that signing out has failed, and stays', async () => {
  const { user } = await openMenu();
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => problem(503, 'Unavailable')));
  await user.click(screen.getByRole('menuitem', { name: 'Sign out' }));
  expect(await screen.findByText('Unavailable')).toBeVisible();
  expect(screen.getByTestId('who')).toHaveTextContent('signed-in');
});

it('gives the focus back to the menu when the profile is closed', async () => {
  const { user } = await openProfile();
  await user.keyboard('{Escape}');
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Account of Ada Lovelace' })).toHaveFocus(),
  );
});

it('keeps a name that was typed while another tab is open, and asks before it is thrown away', async () => {
  const { user } = await openProfile();
  await user.type(screen.getByLabelText('Name', { selector: 'input' }), ' King');
  await user.click(screen.getByRole('tab', { name: 'Password' }));
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(await screen.findByRole('button', { name: 'Keep Editing' }));
  await user.click(screen.getByRole('tab', { name: 'Name' }));
  expect(screen.getByLabelText('Name', { selector: 'input' })).toHaveValue('Ada Lovelace King');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('deletes the account with its password, and says why it may not', async () => {
  const { user, backend } = await openProfile();
  await user.click(screen.getByRole('tab', { name: 'Delete account' }));
  const password = screen.getByLabelText('Password', { selector: 'input' });
  server.use(
    http.delete(
      apiUrl(endpoints.identity.user),
      () => problem(409, 'You are the last admin of Analytical Engines'),
      { once: true },
    ),
    http.delete(apiUrl(endpoints.identity.user), async ({ request }) => {
      expect(await request.json()).toEqual({ password: 'my words' });
      backend.session = null;
      return success(null);
    }),
  );
  await user.type(password, 'my words');
  await user.click(screen.getByRole('button', { name: 'Delete account' }));
  expect(await screen.findByText('You are the last admin of Analytical Engines')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Delete account' }));
  expect(await screen.findByText('Account deleted')).toBeVisible();
  await waitFor(() => expect(screen.getByTestId('who').textContent).toBe('signed-out'));
});
