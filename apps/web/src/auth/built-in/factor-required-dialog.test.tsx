import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { useApi } from '@/api/api-provider';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { engines, looms, renderPiece, serveSession, sessionOf } from './testing';

function Screen() {
  const { getToken } = useAuth();
  const [title, setTitle] = useState('');
  const [outcome, setOutcome] = useState<string | null>(null);
  useUnsavedChanges(title !== '');

  async function ask() {
    try {
      setOutcome(await getToken());
    } catch (error) {
      setOutcome((error as Error).message);
    }
  }

  return (
    <>
      <input aria-label="Title" value={title} onChange={({ target }) => setTitle(target.value)} />
      <button onClick={() => void ask()}>Ask</button>
      <p>{outcome}</p>
    </>
  );
}

/** Changes the organisation. */
function Renaming() {
  const api = useApi();
  const [renamed, setRenamed] = useState(0);

  async function rename() {
    await api.patch(endpoints.identity.organisation(engines.id), { name: 'Engines' });
    setRenamed((before) => before + 1);
  }

  return (
    <>
      <button onClick={() => void rename()}>Rename</button>
      <p>Renamed {renamed} times</p>
    </>
  );
}

/** An organisation that requires a factor, which the user adds. */
async function refused(typed = '') {
  const backend = serveSession(sessionOf({ organisations: [engines, looms] }));
  const factors = { added: false };
  const token = { token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() };
  server.use(
    http.post(apiUrl(endpoints.identity.token), async ({ request }) => {
      const { organisationId } = (await request.json()) as { organisationId: string };
      return factors.added || organisationId === looms.id
        ? success(token)
        : HttpResponse.json(
            { type: '/problems/second-factor-required', message: 'Add a second factor' },
            { status: 403 },
          );
    }),
    http.get(apiUrl(endpoints.identity.factors), () =>
      success({ totp: null, passkeys: [], recoveryCodes: 0 }),
    ),
    http.post(apiUrl(endpoints.identity.totp), () =>
      success({ secret: 'GEZDGNBV', uri: 'otpauth://totp/Allclear:ada?secret=GEZDGNBV' }),
    ),
    http.post(apiUrl(endpoints.identity.confirmTotp), () => {
      factors.added = true;
      return success({ recoveryCodes: ['aaaaaa-bbbbbb'] });
    }),
  );
  const { user } = renderPiece(Screen, 'signed-in');
  const button = await screen.findByRole('button', { name: 'Ask' });
  if (typed !== '') await user.type(screen.getByLabelText('Title'), typed);
  await user.click(button);
  await screen.findByRole('dialog', { name: 'Add a second factor' });
  return { user, backend };
}

it('leads to adding a second factor and then goes on in the same organisation', async () => {
  const { user, backend } = await refused();
  backend.session = sessionOf({ organisations: [looms, engines], activeOrganisationId: null });
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await user.click(await screen.findByRole('button', { name: 'I have kept them' }));
  expect(await screen.findByText('test-token')).toBeVisible();
  expect(screen.getByTestId('who')).toHaveTextContent('signed-in in Analytical Engines');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('asks before new recovery codes are left without a copy', async () => {
  const { user } = await refused();
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('list', { name: 'Recovery codes' });
  await user.click(screen.getByRole('button', { name: 'Switch to Looms' }));
  await screen.findByRole('alertdialog', { name: 'Leave without a copy?' });
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.getByRole('list', { name: 'Recovery codes' })).toBeVisible();
});

it('takes the factor of a user who has one and signed in with a provider', async () => {
  const backend = { proven: false };
  serveSession(sessionOf());
  server.use(
    http.post(apiUrl(endpoints.identity.token), () =>
      backend.proven
        ? success({ token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() })
        : HttpResponse.json(
            { type: '/problems/second-factor-required', message: 'Confirm your second factor' },
            { status: 403 },
          ),
    ),
    http.get(apiUrl(endpoints.identity.factors), () =>
      success({ totp: { createdAt: '2026-11-21T13:07:16.000Z' }, passkeys: [], recoveryCodes: 9 }),
    ),
    http.post(apiUrl(endpoints.identity.sessionFactor), async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      if (code !== '123456') return problem(401, 'Wrong code');
      backend.proven = true;
      return success(null);
    }),
  );
  const { user } = renderPiece(Screen, 'signed-in');
  await user.click(await screen.findByRole('button', { name: 'Ask' }));
  await screen.findByRole('dialog', { name: 'Confirm your second factor' });
  const code = screen.getByLabelText('Code');
  await user.type(code, '000000');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Wrong code')).toBeVisible();
  await user.clear(code);
  await user.type(code, '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('test-token')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

/** A user with a factor, which the server cannot say at the first request. */
async function factorsAfter(failure: () => Response) {
  serveSession(sessionOf());
  server.use(
    http.post(apiUrl(endpoints.identity.token), () =>
      HttpResponse.json(
        { type: '/problems/second-factor-required', message: 'Confirm your second factor' },
        { status: 403 },
      ),
    ),
    http.get(apiUrl(endpoints.identity.factors), failure, { once: true }),
    http.get(apiUrl(endpoints.identity.factors), () =>
      success({ totp: { createdAt: '2026-11-21T13:07:16.000Z' }, passkeys: [], recoveryCodes: 9 }),
    ),
  );
  const { user } = renderPiece(Screen, 'signed-in');
  await user.click(await screen.findByRole('button', { name: 'Ask' }));
  return user;
}

it('reads the factors again when the server is unavailable for a moment', async () => {
  await factorsAfter(() => problem(503, 'Unavailable'));
  expect(await screen.findByRole('dialog')).toHaveAccessibleName('Confirm your second factor');
});

it('says that the factors could not be read, and does not ask to add one', async () => {
  const user = await factorsAfter(() => problem(403, 'Not now'));
  expect(await screen.findByRole('dialog')).toHaveAccessibleName('A second factor is required');
  expect(screen.getByText('The second factors could not be loaded')).toBeVisible();
  expect(screen.getByText('Not now')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await screen.findByLabelText('Code');
  expect(screen.getByRole('dialog')).toHaveAccessibleName('Confirm your second factor');
});

it('lets the user work in another organisation, for which nothing that waited is sent', async () => {
  const { user, backend } = await refused();
  backend.session = sessionOf({ organisations: [engines, looms], activeOrganisationId: looms.id });
  await user.click(screen.getByRole('button', { name: 'Switch to Looms' }));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in in Looms'));
  expect(
    await screen.findByText(
      'The request was not sent, because the user or the organisation has changed.',
    ),
  ).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it.each(['Sign out', 'Switch to Looms'])('asks before “%s” discards typed text', async (name) => {
  const { user, backend } = await refused('Payments fail');
  server.use(http.post(apiUrl(endpoints.identity.signOut), () => success({ providerUrl: null })));
  backend.session = sessionOf({ organisations: [engines, looms], activeOrganisationId: looms.id });
  await user.click(screen.getByRole('button', { name }));
  const question = () => screen.getByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(within(question()).getByRole('button', { name: 'Stay' }));
  expect(screen.getByTestId('who')).toHaveTextContent('signed-in in Analytical Engines');
  await user.click(screen.getByRole('button', { name }));
  await user.click(within(question()).getByRole('button', { name: 'Leave' }));
  await waitFor(() =>
    expect(screen.getByTestId('who')).not.toHaveTextContent('in Analytical Engines'),
  );
});

it('leads a user without a factor to adding one when a change is refused, and then makes the change', async () => {
  serveSession(sessionOf());
  const backend = { required: false, added: false };
  const refuses = () => backend.required && !backend.added;
  const refusal = () =>
    HttpResponse.json(
      { type: '/problems/second-factor-required', message: 'Add a second factor' },
      { status: 403 },
    );
  const token = { token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() };
  server.use(
    http.post(apiUrl(endpoints.identity.token), () => (refuses() ? refusal() : success(token))),
    http.patch(apiUrl(endpoints.identity.organisation(engines.id)), () =>
      refuses() ? refusal() : success(engines),
    ),
    http.get(apiUrl(endpoints.identity.factors), () =>
      success({ totp: null, passkeys: [], recoveryCodes: 0 }),
    ),
    http.post(apiUrl(endpoints.identity.totp), () =>
      success({ secret: 'GEZDGNBV', uri: 'otpauth://totp/Allclear:ada?secret=GEZDGNBV' }),
    ),
    http.post(apiUrl(endpoints.identity.confirmTotp), () => {
      backend.added = true;
      return success({ recoveryCodes: ['aaaaaa-bbbbbb'] });
    }),
  );
  const { user } = renderPiece(Renaming, 'signed-in');
  const rename = await screen.findByRole('button', { name: 'Rename' });
  await user.click(rename);
  expect(await screen.findByText('Renamed 1 times')).toBeVisible();
  // Another admin requires a second factor. The token from before still exists.
  backend.required = true;
  await user.click(rename);
  await screen.findByRole('dialog', { name: 'Add a second factor' });
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await user.click(await screen.findByRole('button', { name: 'I have kept them' }));
  expect(await screen.findByText('Renamed 2 times')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});
