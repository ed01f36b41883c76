import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Dialog } from '@/ui/dialog';
import { Toaster } from '@/ui/toaster';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { ada, FakeClerk, renderProvider, session } from './testing';
import { UserMenu } from './user-menu';

/** The menu in the panel of a phone. */
function Panel({ hasTypedText = false }) {
  useUnsavedChanges(hasTypedText);
  return (
    <>
      <Dialog open title="Menu">
        <UserMenu />
      </Dialog>
      <Toaster />
    </>
  );
}

/** Shows the panel to a signed-in user. */
async function open(panel = <Panel />) {
  const clerk = new FakeClerk();
  const { become } = await renderProvider(clerk, { children: panel });
  become({ session: session(), user: ada });
  return clerk;
}

it('says that signing out has failed', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const failure = new Error('Clerk is not available');
  const { signOut } = await open();
  signOut.mockRejectedValueOnce(failure);
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(await screen.findByText('You were not signed out. Try again.')).toBeVisible();
  expect(log).toHaveBeenCalledWith(failure);
});

it('asks before a sign-out discards typed text', async () => {
  const { signOut } = await open(<Panel hasTypedText />);
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  expect(signOut).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(signOut).toHaveBeenCalledOnce();
});
