import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { http, HttpResponse, type HttpHandler } from 'msw';
import { expect, it } from 'vitest';
import { ada, engines, looms, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import type { Invitation, Member, Session } from '@/auth/built-in/types';
import { endpoints, paths } from '@/paths';
import { success, apiUrl, problem, server, hold } from '@/testing/server';
import { OrganisationScreen } from './organisation-screen';

const since = '2026-01-02T03:04:05.000Z';

const adaAsMember: Member = {
  userId: ada.id,
  name: ada.name,
  email: ada.email,
  role: 'admin',
  createdAt: since,
};
const charles: Member = {
  userId: 'user-2',
  name: 'Charles Babbage',
  email: 'charles@example.com',
  role: 'editor',
  createdAt: since,
};
const mary: Invitation = {
  id: 'inv-1',
  email: 'mary@example.com',
  role: 'editor',
  createdAt: since,
  expiresAt: since,
};

interface Backend {
  session: Session | null;
  members: Member[];
  invitations: Invitation[];
}

async function openOrganisation(
  session = sessionOf(),
  handlers: HttpHandler[] = [],
  mailServer = true,
) {
  const backend: Backend = Object.assign(serveSession(session), {
    members: [charles, adaAsMember],
    invitations: [mary],
  });
  server.use(
    http.get(apiUrl(endpoints.identity.members(engines.id)), () => success(backend.members)),
    http.get(apiUrl(endpoints.identity.factorRequirement(engines.id)), () =>
      success({ required: false }),
    ),
    http.get(apiUrl(endpoints.identity.invitations(engines.id)), () =>
      success(backend.invitations),
    ),
  );
  server.use(...handlers);
  const configuration = { mailServer };
  const rendered = renderPiece(OrganisationScreen, 'signed-in', { configuration });
  await screen.findByText('Charles Babbage');
  return { backend, ...rendered };
}

const twoAdmins = http.get(apiUrl(endpoints.identity.members(engines.id)), () =>
  success([{ ...charles, role: 'admin' }, adaAsMember]),
);

const who = () => screen.getByTestId('who').textContent;
const inDialog = (name: string) =>
  within(screen.getByRole('alertdialog')).getByRole('button', { name });

const memberCall = apiUrl(endpoints.identity.member('org-1', 'user-2'));
const ownCall = apiUrl(endpoints.identity.member('org-1', 'user-1'));
const organisationCall = apiUrl(endpoints.identity.organisation('org-1'));

it('is for reading to editors', async () => {
  await openOrganisation(sessionOf({ organisations: [{ ...engines, role: 'editor' }] }));
  expect(screen.getByText('Only an admin', { exact: false })).toBeVisible();
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
  expect(screen.queryByRole('heading', { name: 'Invitations' })).not.toBeInTheDocument();
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['Leave']);
});

it('shows the name, which admins change in Settings', async () => {
  await openOrganisation();
  expect(screen.getByText('Analytical Engines')).toBeVisible();
  expect(screen.queryByRole('textbox', { name: 'Name' })).not.toBeInTheDocument();
  const link = screen.getByRole('link', { name: 'Change in Settings' });
  expect(link).toHaveAttribute('href', paths.settings);
});

it('keeps a typed invitation when the user is an admin no longer', async () => {
  const { user, backend } = await openOrganisation();
  await user.type(screen.getByRole('textbox', { name: /^Email/ }), 'grace@example.com');
  backend.session = sessionOf({ organisations: [{ ...engines, role: 'editor' }] });
  const otherTab = new BroadcastChannel('allclear:session');
  otherTab.postMessage({ kind: 'changed', organisationId: null });
  await screen.findByText('Only an admin', { exact: false });
  otherTab.close();
  expect(screen.getByRole('textbox', { name: /^Email/ })).toHaveValue('grace@example.com');
});

it('gives a member another role', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.patch(memberCall, async ({ request }) => {
      expect(await request.json()).toEqual({ role: 'admin' });
      backend.members = [{ ...charles, role: 'admin' }, adaAsMember];
      return success('admin');
    }),
  );
  const role = screen.getByLabelText('Role of Charles Babbage');
  await user.selectOptions(role, 'Admin');
  expect(screen.getByRole('alertdialog')).toHaveAccessibleName('Make Charles Babbage an admin?');
  await user.click(inDialog('Change role'));
  expect(await screen.findByText('Role changed')).toBeVisible();
  await waitFor(() => expect(role).toHaveDisplayValue('Admin'));
  await waitFor(() => expect(role).toHaveFocus());
});

it('sends no role before it is confirmed, and keeps the focus on the select', async () => {
  const { user } = await openOrganisation();
  const role = screen.getByLabelText('Role of Charles Babbage');
  role.focus();
  // As an arrow key does on a closed select.
  fireEvent.change(role, { target: { value: 'viewer' } });
  expect(screen.getByRole('alertdialog')).toHaveAccessibleName('Make Charles Babbage a viewer?');
  await user.click(inDialog('Cancel'));
  expect(role).toHaveDisplayValue('Editor');
  await waitFor(() => expect(role).toHaveFocus());
});

it('lets the last admin neither leave nor get another role', async () => {
  const { backend, user } = await openOrganisation();
  const role = screen.getByLabelText('Role of Ada Lovelace');
  expect(role).toBeDisabled();
  expect(role).toHaveAccessibleDescription('The last admin cannot get another role.');
  expect(screen.getByRole('button', { name: 'Leave' })).toBeDisabled();
  expect(screen.getByText(/^The last admin cannot leave\./)).toBeVisible();
  server.use(
    http.patch(memberCall, () => {
      backend.members = [{ ...charles, role: 'admin' }, adaAsMember];
      return success('admin');
    }),
  );
  await user.selectOptions(screen.getByLabelText('Role of Charles Babbage'), 'Admin');
  await user.click(inDialog('Change role'));
  await waitFor(() => expect(role).toBeEnabled());
  expect(screen.getByRole('button', { name: 'Leave' })).toBeEnabled();
});

it('shows further members on demand, and cannot know the last admin before', async () => {
  const grace: Member = {
    userId: 'user-3',
    name: 'Grace Hopper',
    email: 'grace@example.com',
    role: 'viewer',
    createdAt: since,
  };
  const { user } = await openOrganisation(sessionOf(), [
    http.get(apiUrl(endpoints.identity.members(engines.id)), ({ request }) =>
      new URL(request.url).searchParams.get('before') === adaAsMember.userId
        ? success([grace], { next: null })
        : success([charles, adaAsMember], { next: adaAsMember.userId }),
    ),
  ]);
  expect(screen.getByText('More than 2 people')).toBeVisible();
  expect(screen.getByLabelText('Role of Ada Lovelace')).toBeEnabled();
  expect(await screen.findByRole('button', { name: 'Leave' })).toBeEnabled();
  await user.click(screen.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('Grace Hopper')).toBeVisible();
  expect(screen.getByText('3 people')).toBeVisible();
  expect(screen.getByLabelText('Role of Ada Lovelace')).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Leave' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('group', { name: 'Older members' })).toHaveFocus());
});

it('shows further invitations on demand', async () => {
  const { user } = await openOrganisation(sessionOf(), [
    http.get(apiUrl(endpoints.identity.invitations(engines.id)), ({ request }) =>
      new URL(request.url).searchParams.get('before') === mary.id
        ? success([{ ...mary, id: 'inv-0', email: 'percy@example.com' }], { next: null })
        : success([mary], { next: mary.id }),
    ),
  ]);
  const older = within(await screen.findByRole('group', { name: 'Older invitations' }));
  await user.click(older.getByRole('button', { name: 'Show Older' }));
  expect(await screen.findByText('percy@example.com')).toBeVisible();
  expect(screen.getByText('mary@example.com')).toBeVisible();
});

it('asks before an admin becomes an editor, and says that the last one cannot', async () => {
  const { user } = await openOrganisation(sessionOf(), [twoAdmins]);
  const refusal = 'The last admin cannot leave or get another role';
  server.use(http.patch(ownCall, () => problem(409, refusal)));
  await user.selectOptions(screen.getByLabelText('Role of Ada Lovelace'), 'Editor');
  await user.click(inDialog('Become an editor'));
  expect(await screen.findByText(refusal)).toBeVisible();
  expect(screen.getByLabelText('Role of Ada Lovelace')).toHaveDisplayValue('Admin');
});

it('offers the three roles', async () => {
  await openOrganisation();
  const role = screen.getByLabelText('Role of Charles Babbage');
  const labels = within(role).getAllByRole('option');
  expect(labels.map((label) => label.textContent)).toEqual(['Viewer', 'Editor', 'Admin']);
});

it('keeps the focus on the box while a second factor is made a requirement', async () => {
  const { user } = await openOrganisation();
  const { held, release } = hold();
  const requirement = apiUrl(endpoints.identity.factorRequirement(engines.id));
  server.use(
    http.put(requirement, async ({ request }) => {
      expect(await request.json()).toEqual({ required: true });
      await held;
      server.use(http.get(requirement, () => success({ required: true })));
      return success({ required: true });
    }),
  );
  const box = await screen.findByRole('checkbox', { name: 'Require a second factor' });
  await user.click(box);
  expect(box).toHaveAttribute('aria-readonly', 'true');
  expect(box).toHaveFocus();
  release();
  expect(await screen.findByText('A second factor is required')).toBeVisible();
  await waitFor(() => expect(box).toBeChecked());
  expect(box).toHaveFocus();
});

it('does not show a requirement that could not be read as absent', async () => {
  const requirement = apiUrl(endpoints.identity.factorRequirement(engines.id));
  const { user } = await openOrganisation(sessionOf(), [
    http.get(requirement, () => problem(403, 'Not now'), { once: true }),
    http.get(requirement, () => success({ required: true })),
  ]);
  expect(await screen.findByText('The requirement could not be loaded')).toBeVisible();
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('checkbox')).toBeChecked();
});

it('removes a member once that is confirmed', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.delete(memberCall, () => {
      backend.members = [adaAsMember];
      return success({ id: 'user-2' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Remove Charles Babbage' }));
  await user.click(inDialog('Remove'));
  await waitFor(() => expect(screen.queryByText('Charles Babbage')).not.toBeInTheDocument());
  expect(screen.getByText('1 person')).toBeVisible();
});

it('removes a member from the list whom another admin has removed', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.delete(memberCall, () => {
      backend.members = [adaAsMember];
      return problem(404, 'Member not found');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Remove Charles Babbage' }));
  await user.click(inDialog('Remove'));
  expect(await screen.findByText('Member not found')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Charles Babbage')).not.toBeInTheDocument());
});

it('sends an invitation and lists it', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.post(apiUrl(endpoints.identity.invitations('org-1')), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'percy@example.com', role: 'admin' });
      backend.invitations = [{ ...mary, id: 'inv-2', email: 'percy@example.com' }, mary];
      return success({}, { status: 201 });
    }),
  );
  await user.type(screen.getByLabelText('Email'), 'percy@example.com');
  await user.selectOptions(screen.getByLabelText('Role'), 'Admin');
  await user.click(screen.getByRole('button', { name: 'Send Invitation' }));
  expect(await screen.findByText('Invitation sent to percy@example.com')).toBeVisible();
  expect(await screen.findByText('percy@example.com')).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('');
  expect(screen.getByLabelText('Email')).toHaveFocus();
});

it('says where invitations are without a mail server', async () => {
  await openOrganisation(sessionOf(), [], false);
  expect(screen.getByText(/^No mail server is set up here yet/)).toBeVisible();
});

it('says what the role of an invitation may do', async () => {
  const { user } = await openOrganisation();
  const role = screen.getByLabelText('Role');
  expect(role).toHaveAccessibleDescription(/^An editor changes content/);
  await user.selectOptions(role, 'Viewer');
  expect(role).toHaveAccessibleDescription('A viewer reads everything and changes nothing.');
});

it('sends an invitation again, which keeps its place and the focus', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.post(apiUrl(endpoints.identity.invitations('org-1')), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'mary@example.com', role: 'editor' });
      backend.invitations = [{ ...mary, id: 'inv-2' }];
      return success({}, { status: 201 });
    }),
  );
  const again = await screen.findByRole('button', {
    name: 'Send the invitation of mary@example.com again',
  });
  await user.click(again);
  expect(await screen.findByText('Invitation sent to mary@example.com')).toBeVisible();
  await waitFor(() =>
    expect(screen.getByRole('link', { name: /^Audit log of the invitation/ })).toHaveAttribute(
      'href',
      paths.history('inv-2'),
    ),
  );
  expect(again).toHaveFocus();
});

it('revokes an invitation once that is confirmed, and says when none is left', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.delete(apiUrl(endpoints.identity.invitation('org-1', 'inv-1')), () => {
      backend.invitations = [];
      return success({ id: 'inv-1' });
    }),
  );
  const changes = await screen.findByRole('link', {
    name: 'Audit log of the invitation of mary@example.com',
  });
  expect(changes).toHaveAttribute('href', paths.history('inv-1'));
  await user.click(await screen.findByRole('button', { name: /^Revoke/ }));
  await user.click(inDialog('Revoke'));
  expect(await screen.findByText('No pending invitations.')).toBeVisible();
});

it('leaves the organisation for the next one', async () => {
  const { user, backend } = await openOrganisation(sessionOf({ organisations: [engines, looms] }), [
    twoAdmins,
  ]);
  server.use(
    http.get(apiUrl(endpoints.identity.members(looms.id)), () => success([adaAsMember])),
    http.delete(ownCall, () => {
      backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
      return success({ id: 'user-1' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await user.click(inDialog('Leave'));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
});

it('deletes the organisation only once its name has been typed', async () => {
  const { user, backend } = await openOrganisation();
  server.use(
    http.delete(organisationCall, () => {
      backend.session = sessionOf({ organisations: [], activeOrganisationId: null });
      return success({ id: 'org-1' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const confirm = screen.getByRole('button', { name: 'Delete organisation' });
  await user.type(screen.getByLabelText('Type “Analytical Engines” to confirm'), 'Analytical');
  expect(confirm).toBeDisabled();
  await user.type(screen.getByLabelText(/^Type/), ' Engines');
  await user.click(confirm);
  await waitFor(() => expect(who()).toBe('signed-in'));
});

it('takes the name as it is shown, where spaces in a row are one', async () => {
  const named = { ...engines, name: 'Analytical  Engines' };
  const { user, backend } = await openOrganisation(sessionOf({ organisations: [named] }));
  server.use(
    http.delete(organisationCall, () => {
      backend.session = sessionOf({ organisations: [], activeOrganisationId: null });
      return success({ id: 'org-1' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.type(screen.getByLabelText(/^Type/), 'Analytical Engines{Enter}');
  await waitFor(() => expect(who()).toBe('signed-in'));
});

it('says why it could not be deleted, and keeps what was typed', async () => {
  const { user } = await openOrganisation();
  server.use(http.delete(organisationCall, () => problem(503, 'Unavailable')));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.type(screen.getByLabelText(/^Type/), 'Analytical Engines{Enter}');
  expect(await screen.findByText('Unavailable')).toBeVisible();
  expect(screen.getByLabelText(/^Type/)).toHaveValue('Analytical Engines');
});

it('stays open while the organisation is deleted, and says what became of it', async () => {
  const { user } = await openOrganisation();
  const { held, release } = hold();
  server.use(
    http.delete(organisationCall, async () => {
      await held;
      return problem(503, 'Unavailable');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.type(screen.getByLabelText(/^Type/), 'Analytical Engines{Enter}');
  await screen.findByRole('button', { name: 'Deleting...' });
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Close' }));
  release();
  expect(await screen.findByText('Unavailable')).toBeVisible();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('offers to load members again after a failure', async () => {
  serveSession(sessionOf());
  server.use(
    http.get(
      apiUrl(endpoints.identity.members(engines.id)),
      () => problem(404, 'Organisation not found'),
      {
        once: true,
      },
    ),
    http.get(apiUrl(endpoints.identity.members(engines.id)), () => success([charles])),
    http.get(apiUrl(endpoints.identity.invitations(engines.id)), () => success([])),
    http.get(apiUrl(endpoints.identity.factorRequirement(engines.id)), () =>
      success({ required: false }),
    ),
  );
  const { user } = renderPiece(OrganisationScreen, 'signed-in');
  const retry = await screen.findByRole('button', { name: 'Try Again' });
  expect(screen.queryByText('…')).not.toBeInTheDocument();
  await user.click(retry);
  expect(await screen.findByText('Charles Babbage')).toBeVisible();
  expect(screen.getByText('1 person')).toBeVisible();
});

/** Serves a call that needs an authentication, until the user has confirmed the password. */
function serveSensitive(method: 'post' | 'delete', url: string, done: () => Response) {
  let confirmed = false;
  server.use(
    http[method](url, () =>
      confirmed
        ? done()
        : HttpResponse.json(
            { type: '/problems/re-authentication-required', message: 'Please confirm' },
            { status: 403 },
          ),
    ),
    http.post(apiUrl(endpoints.identity.reauthenticate), () => {
      confirmed = true;
      return success(null);
    }),
  );
}

async function confirmPassword(user: UserEvent) {
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }));
  await user.type(dialog.getByLabelText('Password'), 'a few words of mine');
  await user.click(dialog.getByRole('button', { name: 'Confirm' }));
}

it('asks for an authentication before an invitation, and then sends it', async () => {
  const { user } = await openOrganisation();
  serveSensitive('post', apiUrl(endpoints.identity.invitations(engines.id)), () =>
    success({}, { status: 201 }),
  );
  await user.type(screen.getByLabelText('Email'), 'percy@example.com');
  await user.click(screen.getByRole('button', { name: 'Send Invitation' }));
  await confirmPassword(user);
  expect(await screen.findByText('Invitation sent to percy@example.com')).toBeVisible();
});

it('asks for an authentication before a member is removed', async () => {
  const { user, backend } = await openOrganisation();
  serveSensitive('delete', memberCall, () => {
    backend.members = [adaAsMember];
    return success({ id: 'user-2' });
  });
  await user.click(screen.getByRole('button', { name: 'Remove Charles Babbage' }));
  await user.click(inDialog('Remove'));
  await confirmPassword(user);
  await waitFor(() => expect(screen.queryByText('Charles Babbage')).not.toBeInTheDocument());
});

it('asks for an authentication before the organisation is deleted', async () => {
  const { user, backend } = await openOrganisation();
  serveSensitive('delete', organisationCall, () => {
    backend.session = sessionOf({ organisations: [], activeOrganisationId: null });
    return success({ id: 'org-1' });
  });
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await user.type(screen.getByLabelText(/^Type/), 'Analytical Engines{Enter}');
  await confirmPassword(user);
  await waitFor(() => expect(who()).toBe('signed-in'));
});
