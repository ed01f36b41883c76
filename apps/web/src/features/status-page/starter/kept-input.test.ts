import { fireEvent } from '@testing-library/dom';
import { beforeEach, expect, it, vi } from 'vitest';
import { removeListenersAfterTest } from '@/testing/listeners';
import { KeptInput } from './kept-input';

const html =
  '<button aria-haspopup="dialog">Subscribe</button><div role="listbox" tabindex="0" aria-label="API"></div><a href="/">Link</a>';

let input: KeptInput;
const onInput = vi.fn<(isPress: boolean) => boolean>();
const button = () => document.querySelector('button') ?? document.body;
const bars = () => document.querySelector<HTMLElement>('[role=listbox]') ?? document.body;

beforeEach(() => {
  removeListenersAfterTest();
  document.body.innerHTML = html;
  vi.useFakeTimers();
  onInput.mockReset().mockReturnValue(true);
  input = new KeptInput(onInput);
  return () => {
    void input.repeat();
    vi.useRealTimers();
  };
});

/** Records what the elements receive from now on. */
function listen(): string[] {
  const received: string[] = [];
  for (const type of ['click', 'keydown', 'pointerdown', 'pointermove', 'focusin']) {
    document.body.addEventListener(type, (event) => {
      const key = event instanceof KeyboardEvent ? ` ${event.key}` : '';
      received.push(`${type}${key}`);
    });
  }
  return received;
}

it('repeats a press once, however often it was made, and says that the control is busy', async () => {
  const received = listen();
  fireEvent.click(button());
  fireEvent.click(button());
  expect(received).toEqual([]);
  expect(button()).toHaveAttribute('aria-busy', 'true');
  expect(input.isPressed).toBe(true);
  await input.repeat();
  expect(received).toEqual(['click']);
  expect(button()).not.toHaveAttribute('aria-busy');
});

it('repeats every key in order for the control that has the focus', async () => {
  bars().focus();
  fireEvent.keyDown(bars(), { key: 'ArrowLeft' });
  expect(fireEvent.keyDown(bars(), { key: 'Home' })).toBe(false);
  expect(onInput.mock.calls).toEqual([[false], [true], [true]]);
  const received = listen();
  await input.repeat();
  expect(received).toEqual(['focusin', 'keydown ArrowLeft', 'keydown Home']);
});

it('forgets where the pointer and the focus have been', async () => {
  const received = listen();
  bars().focus();
  fireEvent.pointerMove(bars());
  const link = document.querySelector('a');
  link?.focus();
  fireEvent.pointerMove(link ?? document.body);
  received.splice(0);
  await input.repeat();
  expect(received).toEqual([]);
  expect(bars()).not.toHaveAttribute('aria-busy');
});

it('takes a pointer that rests for input, and not one that passes', () => {
  fireEvent.pointerMove(bars());
  vi.advanceTimersByTime(99);
  fireEvent.pointerMove(document.querySelector('a') ?? document.body);
  vi.advanceTimersByTime(100);
  expect(onInput).not.toHaveBeenCalled();
  fireEvent.pointerMove(bars());
  vi.advanceTimersByTime(100);
  expect(onInput).toHaveBeenCalledExactlyOnceWith(false);
  expect(bars()).toHaveAttribute('aria-busy', 'true');
});

it('takes the tap of a finger for input, and not its movement', async () => {
  const received = listen();
  const finger = { pointerType: 'touch' };
  fireEvent.pointerDown(bars(), finger);
  fireEvent.pointerMove(bars(), finger);
  vi.advanceTimersByTime(1000);
  expect(received).toEqual(['pointerdown', 'pointermove']);
  expect(onInput).not.toHaveBeenCalled();
  fireEvent(bars(), new PointerEvent('click', { ...finger, bubbles: true, clientX: 7 }));
  expect(onInput).toHaveBeenCalledExactlyOnceWith(true);
  const taps: unknown[] = [];
  bars().addEventListener('click', (event) => taps.push(event.clientX, event.pointerType));
  await input.repeat();
  expect(taps).toEqual([7, 'touch']);
});

it('leaves shortcuts to the browser', () => {
  bars().focus();
  onInput.mockClear();
  expect(fireEvent.keyDown(bars(), { key: 'ArrowLeft', altKey: true })).toBe(true);
  expect(onInput).not.toHaveBeenCalled();
});

it('does not call a control busy that React is not loaded for', () => {
  onInput.mockReturnValue(false);
  bars().focus();
  expect(onInput).toHaveBeenCalledOnce();
  expect(bars()).not.toHaveAttribute('aria-busy');
});

it('leaves everything else to the page', () => {
  const received = listen();
  fireEvent.click(document.querySelector('a') ?? document.body);
  fireEvent.pointerMove(button());
  expect(received).toEqual(['click', 'pointermove']);
  expect(onInput).not.toHaveBeenCalled();
});

it('finds a control that has been drawn again', async () => {
  fireEvent.click(button());
  document.body.innerHTML = html;
  const received = listen();
  await input.repeat();
  expect(received).toEqual(['click']);
});

it('drops what was pressed if React could not be loaded', async () => {
  fireEvent.click(button());
  input.forget();
  expect(button()).not.toHaveAttribute('aria-busy');
  const received = listen();
  await input.repeat();
  expect(received).toEqual([]);
});
