/** The controls that need React. */
const controls = 'button[aria-haspopup],[role=listbox]';

/** Input that has no meaning once the pointer or the focus has moved on. */
const passing = ['pointermove', 'focusin'];

/** How long the pointer must rest on a control before React is loaded for it. */
const restMs = 100;

interface Kept {
  control: HTMLElement;
  event: Event;
}

/** Keeps the input of controls until React can handle it. */
export class KeptInput {
  #kept: Kept[] = [];
  readonly #listening = new AbortController();
  readonly #onInput: (isPress: boolean) => boolean;
  #resting: ReturnType<typeof setTimeout> | undefined;

  /**
   * Calls `onInput` after each input. `isPress` is false if only the pointer or the focus has
   * moved. `onInput` returns whether React is loading.
   */
  constructor(onInput: (isPress: boolean) => boolean) {
    this.#onInput = onInput;
    for (const type of [...passing, 'pointerdown', 'click', 'keydown']) {
      const { signal } = this.#listening;
      document.addEventListener(type, this.#keep, { capture: true, signal });
    }
  }

  /** Whether a control was pressed. */
  get isPressed(): boolean {
    return this.#kept.some(({ event }) => event.type === 'click');
  }

  readonly #keep = (event: Event): void => {
    const { type, target } = event;
    // A finger that moves scrolls the page. Its tap is a click.
    if (type !== 'click' && (event as PointerEvent).pointerType === 'touch') return;
    if (event instanceof KeyboardEvent && isShortcut(event)) return;
    const control = target instanceof Element && target.closest<HTMLElement>(controls);
    const isPassing = passing.includes(type);
    // Only the last input of a type is kept, except for keys.
    if (isPassing || (control && type !== 'keydown')) {
      this.#kept = this.#kept.filter((kept) => kept.event.type !== type);
    }
    if (type === 'pointermove') clearTimeout(this.#resting);
    if (!control) return;
    const isButton = control.matches('button');
    if (isButton && type === 'pointermove') return;
    // React, which may begin to listen at any time, receives the repetition only.
    event.stopPropagation();
    if (event instanceof KeyboardEvent && !isButton && /^(Arrow|Home|End)/.test(event.key))
      event.preventDefault();
    this.#kept.push({ control, event });
    const load = () => {
      if (this.#onInput(!isPassing)) control.setAttribute('aria-busy', 'true');
    };
    if (type === 'pointermove') this.#resting = setTimeout(load, restMs);
    else load();
  };

  /** Forgets the input, because React could not be loaded. */
  forget(): void {
    this.#kept = [];
    for (const control of document.querySelectorAll(controls)) control.removeAttribute('aria-busy');
  }

  /** Repeats the input. React may have drawn the controls again. */
  async repeat(): Promise<void> {
    this.#listening.abort();
    clearTimeout(this.#resting);
    const input = this.#kept;
    this.forget();
    for (const { control, event } of input) {
      const target = sameElement(control);
      const isForFocused = event.type === 'focusin' || event.type === 'keydown';
      if (!target || (isForFocused && target !== document.activeElement)) continue;
      const Same = event.constructor as typeof Event;
      target.dispatchEvent(new Same(event.type, event));
      // React renders before the next one.
      await Promise.resolve();
    }
  }
}

function isShortcut({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey;
}

/** Returns an element of the page, or the one that has been drawn in its place. */
export function sameElement(element: HTMLElement): HTMLElement | undefined {
  if (element.isConnected) return element;
  const name = (it: HTMLElement) => it.getAttribute('aria-label') ?? it.textContent;
  const others = document.querySelectorAll<HTMLElement>(element.tagName);
  return [...others].find((other) => name(other) === name(element));
}
