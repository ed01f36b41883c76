import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { useConfiguration } from '@/api/configuration';
import { endpoints } from '@/paths';
import { configuration } from '@/testing/configuration';
import { success, apiUrl, problem, server } from '@/testing/server';
import { useAuth, useIdentity } from './auth';
import { Identity } from './identity';

function Below() {
  const { state } = useAuth();
  const { signUp } = useConfiguration();
  return <p>{`${state.status}, sign-up ${signUp}, ${typeof useIdentity().SignIn}`}</p>;
}

function renderIdentity() {
  render(
    <Identity navigate={() => Promise.resolve()}>
      <Below />
    </Identity>,
  );
}

const nobody = http.get(apiUrl(endpoints.identity.session), () => success(null));

it('brings the provider that the installation uses, and its configuration', async () => {
  server.use(
    nobody,
    http.get(apiUrl(endpoints.configuration), () => success(configuration)),
  );
  renderIdentity();
  expect(screen.getByText('Loading...')).toBeVisible();
  expect(await screen.findByText('signed-out, sign-up open, function')).toBeVisible();
});

it('says that the server cannot be reached, and tries again when asked to', async () => {
  server.use(http.get(apiUrl(endpoints.configuration), () => HttpResponse.error()));
  renderIdentity();
  expect(await screen.findByRole('alert')).toHaveTextContent('The server cannot be reached');
  server.use(
    nobody,
    http.get(apiUrl(endpoints.configuration), () => success(configuration)),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText(/^signed-out/)).toBeVisible();
});

it('tries again by itself once the network is back', async () => {
  server.use(http.get(apiUrl(endpoints.configuration), () => HttpResponse.error()));
  renderIdentity();
  await screen.findByRole('alert');
  server.use(
    nobody,
    http.get(apiUrl(endpoints.configuration), () => success(configuration)),
  );
  window.dispatchEvent(new Event('online'));
  expect(await screen.findByText(/^signed-out/)).toBeVisible();
});

it('offers to try again when the session cannot be read', async () => {
  server.use(
    http.get(apiUrl(endpoints.configuration), () => success(configuration)),
    http.get(apiUrl(endpoints.identity.session), () => problem(403, 'Forbidden'), { once: true }),
    nobody,
  );
  renderIdentity();
  expect(await screen.findByRole('alert')).toHaveTextContent('Forbidden');
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText(/^signed-out/)).toBeVisible();
});
