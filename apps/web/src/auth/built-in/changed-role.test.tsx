import { act, screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { useApi } from '@/api/api-provider';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, settled, success } from '@/testing/server';
import { useSignedIn } from './session-context';
import { engines, renderPiece, sessionOf } from './testing';
import type { Role, Session } from './types';

const component = endpoints.components.item('c1');

function Piece() {
  const api = useApi();
  const role = useSignedIn()?.organisation?.role;
  return (
    <button onClick={() => void api.delete(component).catch(() => undefined)}>
      Delete as {role}
    </button>
  );
}

const sessionAs = (role: Role) => sessionOf({ organisations: [{ ...engines, role }] });

/**
 * Renders the piece for a user with this role. The server refuses its request, and counts the
 * readings of the session.
 */
async function open(role: Role) {
  const backend: { session: Session | null; reads: number } = {
    session: sessionAs(role),
    reads: 0,
  };
  server.use(
    http.get(apiUrl(endpoints.identity.session), () => {
      backend.reads += 1;
      return success(backend.session);
    }),
    http.post(apiUrl(endpoints.identity.token), () =>
      success({ token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() }),
    ),
    http.delete(apiUrl(component), () => problem(403, 'You may not do this')),
  );
  const { user } = renderPiece(Piece, 'signed-in');
  const button = await screen.findByRole('button');
  expect(button).toHaveTextContent(`Delete as ${role}`);
  return { backend, user, button };
}

/** The page was hidden for this long. */
function wakeAfter(ms: number) {
  vi.setSystemTime(Date.now() + ms);
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

it('shows a role that was taken once a request is refused, and asks no more for a while', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { backend, user, button } = await open('editor');
  backend.session = sessionAs('viewer');
  await user.click(button);
  await expect.poll(() => button.textContent).toBe('Delete as viewer');
  expect(backend.reads).toBe(2);
  backend.session = sessionAs('admin');
  await user.click(button);
  wakeAfter(0);
  vi.setSystemTime(Date.now() + 10_000);
  await user.click(button);
  await expect.poll(() => button.textContent).toBe('Delete as admin');
  expect(backend.reads).toBe(3);
});

it('shows a role that was given once the page is shown again after the life of a token', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { backend, button } = await open('viewer');
  backend.session = sessionAs('editor');
  wakeAfter(4 * 60_000);
  wakeAfter(60_000);
  await expect.poll(() => button.textContent).toBe('Delete as editor');
  expect(backend.reads).toBe(2);
});

it('keeps the screen when the session has ended while the page was hidden', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { backend, button } = await open('editor');
  backend.session = null;
  wakeAfter(5 * 60_000);
  await expect.poll(() => backend.reads).toBe(2);
  await settled();
  expect(button).toBeInTheDocument();
});
