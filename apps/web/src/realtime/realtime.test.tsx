import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { AuthContext, useAuth } from '@/auth/auth';
import { FakeSocket } from '@/testing/fake-socket';
import { renderScreen, signedIn } from '@/testing/render';
import { useItemChanges } from './realtime';
import { RealtimeProvider } from './realtime-provider';

const onChange = vi.fn();

function Form() {
  useItemChanges('component-update', 'c1', onChange);
  return <p>Form</p>;
}

function Page({ isOpen }: { isOpen: boolean }) {
  const [isShown, setShown] = useState(isOpen);
  return isShown ? <Form /> : <button onClick={() => setShown(true)}>Open</button>;
}

/** Shows a page with a form, and waits for its socket, which has not joined. */
async function show(isOpen: boolean) {
  const rendered = renderScreen(
    <RealtimeProvider>
      <Page isOpen={isOpen} />
    </RealtimeProvider>,
  );
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  return rendered;
}

const join = () => act(() => FakeSocket.last.join());

beforeEach(() => {
  onChange.mockReset();
});

it('reports that an item may have changed before the socket joined', async () => {
  await show(true);
  expect(onChange).not.toHaveBeenCalled();
  await join();
  expect(onChange).toHaveBeenCalledOnce();
});

it('reports nothing about an item that is opened after the socket has joined', async () => {
  const { user } = await show(false);
  await join();
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(screen.getByText('Form')).toBeInTheDocument();
  expect(onChange).not.toHaveBeenCalled();
});

it('reports that an item may have changed while the connection was lost', async () => {
  const { user } = await show(false);
  await join();
  await user.click(screen.getByRole('button', { name: 'Open' }));
  act(() => FakeSocket.last.lose());
  expect(onChange).not.toHaveBeenCalled();
  await join();
  expect(onChange).toHaveBeenCalledOnce();
});

it('reports events about the item alone', async () => {
  await show(true);
  await join();
  onChange.mockReset();
  act(() => FakeSocket.last.fire('component-update', { id: 'c2' }));
  act(() => FakeSocket.last.fire('component-deleted', 'c2'));
  expect(onChange).not.toHaveBeenCalled();
  act(() => FakeSocket.last.fire('component-update', { id: 'c1' }));
  act(() => FakeSocket.last.fire('component-deleted', 'c1'));
  expect(onChange).toHaveBeenCalledTimes(2);
});

it('lets the session be read again once another user has renamed the organisation', async () => {
  const onOutdated = vi.fn();
  function Screen() {
    const auth = useAuth();
    return (
      <AuthContext value={{ ...auth, onOutdated }}>
        <RealtimeProvider>
          <p>Screen</p>
        </RealtimeProvider>
      </AuthContext>
    );
  }
  renderScreen(<Screen />);
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await join();
  act(() => FakeSocket.last.fire('organisation-updated', signedIn.organisation));
  expect(onOutdated).not.toHaveBeenCalled();
  const renamed = { ...signedIn.organisation, name: 'Acme' };
  act(() => FakeSocket.last.fire('organisation-updated', renamed));
  expect(onOutdated).toHaveBeenCalledOnce();
});
