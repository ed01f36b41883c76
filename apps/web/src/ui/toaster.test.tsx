import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import css from '@/styles/toaster.css?raw';
import { Dialog } from './dialog';
import { toast } from './toast';
import { Toaster } from './toaster';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  act(() => toast.remove());
  vi.useRealTimers();
});

const shown = () => screen.queryAllByRole('listitem').map((item) => item.textContent);
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

function show(...messages: string[]) {
  render(<Toaster />);
  act(() => messages.forEach((message) => toast.success(message)));
}

describe('the toaster', () => {
  it('shows a toast for 4000 ms and takes 200 ms to remove it', async () => {
    show('Component Created');
    await pass(3999);
    expect(screen.getByRole('listitem')).toHaveAttribute('data-leaving', 'false');
    await pass(1);
    expect(screen.getByRole('listitem')).toHaveAttribute('data-leaving', 'true');
    await pass(199);
    expect(shown()).toEqual(['Component Created']);
    await pass(1);
    expect(shown()).toEqual([]);
  });

  it('shows failures as long as successes', async () => {
    render(<Toaster />);
    act(() => void toast.error('Error while fetching components'));
    await pass(3999);
    expect(shown()).toEqual(['Error while fetching components']);
    await pass(1);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it('shows the newest three', () => {
    show('one', 'two', 'three', 'four');
    expect(shown()).toEqual(['four', 'three', 'two']);
  });

  it('takes the focus by Alt+T while a dialog is open, and Esc leads back into the dialog', async () => {
    vi.useRealTimers();
    const user = userEvent.setup();
    const onOpenChange = vi.fn();
    render(
      <Dialog open onOpenChange={onOpenChange} title="Record Update">
        <input aria-label="Message" />
      </Dialog>,
    );
    render(<Toaster />);
    act(() => void toast.error('Error while creating or updating incident'));
    await waitFor(() => expect(screen.getByLabelText('Message')).toHaveFocus());
    await user.keyboard('{Alt>}[KeyT]{/Alt}');
    const region = screen.getByRole('region', { name: 'Notifications (Alt+T)' });
    expect(region).toHaveFocus();
    await user.tab();
    expect(within(region).getByRole('button', { name: 'Dismiss' })).toHaveFocus();
    await user.keyboard('{Escape}');
    expect(screen.getByLabelText('Message')).toHaveFocus();
    expect(onOpenChange).not.toHaveBeenCalled();
    await user.keyboard('{Escape}');
    expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false);
  });

  it('is a polite live region that Alt+T focuses and Esc leaves', async () => {
    render(<input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    show('Component Updated');
    expect(screen.getByRole('list')).toHaveAttribute('aria-live', 'polite');
    fireEvent.keyDown(document, { altKey: true, code: 'KeyT' });
    expect(screen.getByRole('region', { name: 'Notifications (Alt+T)' })).toHaveFocus();
    await pass(10_000);
    expect(shown()).toEqual(['Component Updated']);
    fireEvent.keyDown(document.activeElement ?? document, { key: 'Escape' });
    expect(screen.getByLabelText('Name')).toHaveFocus();
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it.each(['ctrlKey', 'metaKey', 'shiftKey'])('leaves Alt+T with %s to the page', (key) => {
    render(<input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    show('Component Updated');
    const isLeft = fireEvent.keyDown(document, { altKey: true, code: 'KeyT', [key]: true });
    expect(isLeft).toBe(true);
    expect(screen.getByLabelText('Name')).toHaveFocus();
  });

  it('lets go of the focus by Esc also where nothing had it before', async () => {
    show('Component Updated');
    fireEvent.keyDown(document, { altKey: true, code: 'KeyT' });
    fireEvent.keyDown(document.activeElement ?? document, { key: 'Escape' });
    expect(document.body).toHaveFocus();
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it.each([
    ['moves there by Alt+T', () => fireEvent.keyDown(document, { altKey: true, code: 'KeyT' })],
    ['moves there otherwise', () => undefined],
  ])('returns the focus that %s when its toast is dismissed, and goes on', async (_how, enter) => {
    render(<input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    show('Component Created', 'Component Updated');
    enter();
    const [dismiss = document.body] = screen.getAllByRole('button', { name: 'Dismiss' });
    act(() => dismiss.focus());
    fireEvent.click(dismiss);
    await pass(200);
    expect(shown()).toEqual(['Component Created']);
    expect(screen.getByLabelText('Name')).toHaveFocus();
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it('does not return to a field that the user had left before', async () => {
    render(<input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    show('Component Created', 'Component Updated');
    const [dismiss = document.body] = screen.getAllByRole('button', { name: 'Dismiss' });
    act(() => dismiss.focus());
    act(() => dismiss.blur());
    act(() => dismiss.focus());
    fireEvent.click(dismiss);
    await pass(200);
    expect(document.body).toHaveFocus();
  });

  it('returns the focus when newer toasts replace the focused one', () => {
    render(<input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    show('one');
    act(() => screen.getByRole('button', { name: 'Dismiss' }).focus());
    act(() => ['two', 'three', 'four'].forEach((message) => toast.success(message)));
    expect(shown()).toEqual(['four', 'three', 'two']);
    expect(screen.getByLabelText('Name')).toHaveFocus();
  });

  it('waits while the pointer is on it', async () => {
    show('Component Deleted');
    fireEvent.mouseEnter(screen.getByRole('region'));
    await pass(10_000);
    expect(shown()).toEqual(['Component Deleted']);
  });

  it('waits while the pointer is on it, although the focus moves elsewhere', async () => {
    render(<input aria-label="Name" />);
    show('Component Deleted');
    fireEvent.mouseOver(screen.getByRole('listitem'));
    act(() => screen.getByRole('button', { name: 'Dismiss' }).focus());
    act(() => screen.getByLabelText('Name').focus());
    act(() => screen.getByLabelText('Name').blur());
    await pass(10_000);
    expect(shown()).toEqual(['Component Deleted']);
    fireEvent.mouseOver(screen.getByLabelText('Name'));
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it('does not wait after another one was removed under the pointer', async () => {
    show('Component Created', 'Component Updated');
    const [updated = document.body] = screen.getAllByRole('listitem');
    fireEvent.mouseOver(updated);
    fireEvent.click(within(updated).getByRole('button', { name: 'Dismiss' }));
    await pass(200);
    expect(shown()).toEqual(['Component Created']);
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it('does not wait after it was removed under the pointer and shown again', async () => {
    render(<Toaster />);
    fireEvent.mouseEnter(screen.getByRole('region'));
    cleanup();
    show('Component Deleted');
    await pass(4000);
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it('goes away by its button', async () => {
    show('Component Created');
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    await pass(200);
    expect(shown()).toEqual([]);
  });

  it.each([
    ['far enough', 20, 1000, true],
    ['fast enough', 12, 100, true],
    ['no faster than 0.11 px a millisecond', 11, 100, false],
    ['neither far nor fast', 19, 1000, false],
  ])('when it is swiped %s', async (_how, distance, ms, leaves) => {
    show('Component Created');
    const item = screen.getByRole('listitem');
    swipe(item, distance, ms);
    expect(item).toHaveAttribute('data-leaving', String(leaves));
    await pass(200);
    expect(shown()).toHaveLength(leaves ? 0 : 1);
  });

  it('is 356 px wide, with a gap of 14 px, at the bottom right', () => {
    expect(css).toMatch(/width: 356px/);
    expect(css).toMatch(/gap: 14px/);
    expect(css).toMatch(/inset-block-end: 1\.5rem;\s+inset-inline-end: 1\.5rem/);
  });
});

function swipe(item: HTMLElement, distance: number, ms: number) {
  const events: [string, number, number][] = [
    ['pointerdown', 0, 0],
    ['pointermove', distance / 2, ms / 2],
    ['pointerup', distance, ms],
  ];
  for (const [type, x, at] of events) {
    const event = new MouseEvent(type, { bubbles: true, clientX: x, clientY: 0 });
    Object.defineProperty(event, 'timeStamp', { value: 1000 + at });
    Object.defineProperty(event, 'pointerId', { value: 1 });
    fireEvent(item, event);
  }
}
