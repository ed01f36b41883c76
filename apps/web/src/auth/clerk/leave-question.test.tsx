import { screen } from '@testing-library/react';
import { useEffect, useRef } from 'react';
import { expect, it, vi } from 'vitest';
import { renderScreen } from '@/testing/render';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { LeaveQuestion } from './leave-question';

/** A menu that another root of React renders, as Clerk does. */
function Menu({ onOpen }: { onOpen: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const button = document.createElement('button');
    button.innerHTML = '<span>Open user menu</span>';
    button.addEventListener('click', onOpen);
    place.current?.replaceChildren(button);
  }, [onOpen]);
  return <div ref={place} />;
}

function Screen({ isTyped, onOpen }: { isTyped: boolean; onOpen: () => void }) {
  useUnsavedChanges(isTyped);
  return (
    <LeaveQuestion>
      <Menu onOpen={onOpen} />
    </LeaveQuestion>
  );
}

function open(isTyped: boolean) {
  const onOpen = vi.fn();
  const { user } = renderScreen(<Screen isTyped={isTyped} onOpen={onOpen} />);
  return { user, onOpen, button: screen.getByRole('button', { name: 'Open user menu' }) };
}

it('opens the menu at once when nothing is typed', async () => {
  const { user, onOpen, button } = open(false);
  await user.click(button);
  expect(onOpen).toHaveBeenCalledOnce();
});

it('opens the menu after a question when text is typed', async () => {
  const { user, onOpen } = open(true);
  await user.click(screen.getByText('Open user menu'));
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  expect(onOpen).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await expect.poll(() => onOpen.mock.calls).toHaveLength(1);
});

it('asks when a key opens the menu, and leaves it closed when the user stays', async () => {
  const { user, onOpen, button } = open(true);
  button.focus();
  await user.keyboard('{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  await expect.poll(() => document.activeElement).toBe(button);
  expect(onOpen).not.toHaveBeenCalled();
});
