import { act, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Tooltip } from './tooltip';

/**
 * Renders a button with a tooltip. jsdom knows no keyboard's focus, so the test says what it is.
 */
function focus(isFromKeyboard: boolean) {
  render(
    <Tooltip content="Edit it">
      <button type="button">Edit</button>
    </Tooltip>,
  );
  const button = screen.getByRole('button');
  vi.spyOn(button, 'matches').mockReturnValue(isFromKeyboard);
  act(() => button.focus());
  expect(button).toHaveFocus();
}

it('opens for the focus of the keyboard', () => {
  focus(true);
  expect(screen.getByRole('tooltip')).toHaveTextContent('Edit it');
});

it('stays closed for a focus that a dialog gives back', () => {
  focus(false);
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
});

it('stays closed on a device for touch, where nothing would close it', () => {
  const media = matchMedia('(hover: none)');
  vi.stubGlobal('matchMedia', () => Object.assign(media, { matches: true }));
  focus(true);
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
});
