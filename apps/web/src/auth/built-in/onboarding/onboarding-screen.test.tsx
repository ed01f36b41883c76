import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { engines, looms, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { OnboardingScreen } from './onboarding-screen';

async function openOnboarding() {
  const backend = serveSession(sessionOf({ organisations: [], activeOrganisationId: null }));
  const rendered = renderPiece(OnboardingScreen, 'signed-in');
  await screen.findByRole('heading', { name: 'Welcome to Allclear' });
  return { backend, ...rendered };
}

const who = () => screen.getByTestId('who').textContent;

it('creates an organisation and goes to work in it', async () => {
  const { user, backend } = await openOnboarding();
  server.use(
    http.post(apiUrl(endpoints.identity.organisations), async ({ request }) => {
      expect(await request.json()).toEqual({ name: 'Analytical Engines' });
      backend.session = sessionOf({ activeOrganisationId: null });
      return success(engines, { status: 201 });
    }),
  );
  await user.type(screen.getByLabelText('Name'), ' Analytical Engines ');
  await user.click(screen.getByRole('button', { name: 'Create organisation' }));
  await waitFor(() => expect(who()).toBe('signed-in in Analytical Engines'));
});

it('wants a name of two characters', async () => {
  const { user } = await openOnboarding();
  await user.type(screen.getByLabelText('Name'), 'A');
  await user.click(screen.getByRole('button', { name: 'Create organisation' }));
  expect(await screen.findByText('Name is required')).toBeVisible();
});

it.each(['http://localhost:8080/login?invitation=i-1', 'i-1'])(
  'joins by the link of an invitation: %s',
  async (link) => {
    const { user, backend } = await openOnboarding();
    server.use(
      http.post(apiUrl(endpoints.identity.acceptInvitation), async ({ request }) => {
        expect(await request.json()).toEqual({ token: 'i-1' });
        backend.session = sessionOf({ organisations: [looms], activeOrganisationId: null });
        return success({ organisation: { id: looms.id, name: looms.name } });
      }),
    );
    await user.type(screen.getByLabelText('Invitation link'), link);
    await user.click(screen.getByRole('button', { name: 'Join organisation' }));
    await waitFor(() => expect(who()).toBe('signed-in in Looms'));
  },
);

it('says what is wrong with a link that leads nowhere', async () => {
  const { user } = await openOnboarding();
  const join = () => user.click(screen.getByRole('button', { name: 'Join organisation' }));
  await user.type(screen.getByLabelText('Invitation link'), 'http://localhost:8080/login');
  await join();
  expect(await screen.findByText('Paste the link of your invitation')).toBeVisible();

  server.use(
    http.post(apiUrl(endpoints.identity.acceptInvitation), () =>
      problem(400, 'This invitation is wrong or has expired'),
    ),
  );
  await user.type(screen.getByLabelText('Invitation link'), '?invitation=old');
  await join();
  expect(await screen.findByText('This invitation is wrong or has expired')).toBeVisible();

  server.use(
    http.post(apiUrl(endpoints.identity.acceptInvitation), () => success({ organisation: null })),
  );
  await join();
  expect(await screen.findByText('This invitation does not lead to an organisation')).toBeVisible();
});

it('lets a user sign out who came by mistake', async () => {
  const { user, backend } = await openOnboarding();
  server.use(
    http.post(apiUrl(endpoints.identity.signOut), () => {
      backend.session = null;
      return success({ providerUrl: null });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Account of Ada Lovelace' }));
  await user.click(screen.getByRole('menuitem', { name: 'Sign out' }));
  await waitFor(() => expect(who()).toBe('signed-out'));
});
