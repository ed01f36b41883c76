import { useClerk, useUser } from '@clerk/clerk-react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Dialog } from '@/ui/dialog';
import { Toaster } from '@/ui/toaster';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { UserMenu } from './user-menu';

vi.mock('@clerk/clerk-react', () => ({ useClerk: vi.fn(), useUser: vi.fn() }));

const signOut = vi.fn<() => Promise<void>>();

beforeEach(() => {
  signOut.mockReset().mockResolvedValue();
  vi.mocked(useClerk).mockReturnValue({ signOut } as unknown as ReturnType<typeof useClerk>);
  vi.mocked(useUser).mockReturnValue({
    user: { fullName: 'Ada Lovelace' },
  } as ReturnType<typeof useUser>);
});

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

it('says that signing out has failed', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const failure = new Error('Clerk is not available');
  signOut.mockRejectedValueOnce(failure);
  render(<Panel />);
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(await screen.findByText('Signing out has failed. Try again.')).toBeVisible();
  expect(log).toHaveBeenCalledWith(failure);
});

it('asks before a sign-out discards typed text', async () => {
  render(<Panel hasTypedText />);
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  expect(signOut).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(signOut).toHaveBeenCalledOnce();
});
