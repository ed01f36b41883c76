import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import type { Waiting } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { WaitlistScreen } from './waitlist-screen';

const mary: Waiting = {
  id: 'w-1',
  name: 'Mary Somerville',
  email: 'mary@example.com',
  createdAt: '2026-01-02T03:04:05.000Z',
};

async function openWaitlist(mailServer = true) {
  serveSession(sessionOf());
  const backend = { waiting: [mary] };
  server.use(http.get(apiUrl(endpoints.identity.waitlist), () => success(backend.waiting)));
  const rendered = renderPiece(WaitlistScreen, 'signed-in', { configuration: { mailServer } });
  await screen.findByText('Mary Somerville');
  return { backend, ...rendered };
}

it('invites a person, who then leaves the waitlist', async () => {
  const { user, backend } = await openWaitlist();
  server.use(
    http.post(apiUrl(endpoints.identity.inviteFromWaitlist('w-1')), () => {
      backend.waiting = [];
      return success({ id: 'w-1' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Invite Mary Somerville' }));
  expect(await screen.findByText('Invitation sent to mary@example.com')).toBeVisible();
  const text = await screen.findByText('Nobody is waiting');
  expect(text).toBeVisible();
  // The pressed button is gone.
  expect(screen.getByRole('group', { name: 'Waitlist' })).toHaveFocus();
});

it('says where invitations are without a mail server', async () => {
  await openWaitlist(false);
  expect(screen.getByText(/^No mail server is set up here yet/)).toBeVisible();
});

it('removes a person after a confirmation', async () => {
  const { user, backend } = await openWaitlist();
  server.use(
    http.delete(apiUrl(endpoints.identity.waitlistEntry('w-1')), () => {
      backend.waiting = [];
      return success({ id: 'w-1' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Remove Mary Somerville' }));
  const question = screen.getByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByText('Mary Somerville')).not.toBeInTheDocument());
});

it('shows why an invitation failed, and reads the list again', async () => {
  const { user, backend } = await openWaitlist();
  server.use(
    http.post(apiUrl(endpoints.identity.inviteFromWaitlist('w-1')), () => {
      backend.waiting = [];
      return problem(404, 'Waitlist entry not found');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Invite Mary Somerville' }));
  expect(await screen.findByText('Waitlist entry not found')).toBeVisible();
  expect(await screen.findByText('Nobody is waiting')).toBeVisible();
});

it('says that the list is for the administrator', async () => {
  serveSession(sessionOf());
  const refusal = "Only the installation's administrator may do this";
  server.use(http.get(apiUrl(endpoints.identity.waitlist), () => problem(403, refusal)));
  renderPiece(WaitlistScreen, 'signed-in');
  expect(await screen.findByText(refusal)).toBeVisible();
});

it('draws many people in parts, the newest first', async () => {
  serveSession(sessionOf());
  const people = Array.from({ length: 60 }, (_, at) => ({
    ...mary,
    id: `w-${at}`,
    name: `Person ${at}`,
  }));
  server.use(http.get(apiUrl(endpoints.identity.waitlist), () => success(people)));
  const { user } = renderPiece(WaitlistScreen, 'signed-in');
  await screen.findByText('Person 0');
  expect(screen.getByText('Person 49')).toBeVisible();
  expect(screen.queryByText('Person 50')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(screen.getByText('Person 59')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
  expect(screen.getByRole('group', { name: 'Waitlist' })).toHaveFocus();
});
