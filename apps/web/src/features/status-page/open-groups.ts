/**
 * Whether the visitor has opened or closed groups, by their codes. build/first-choice.js applies it
 * before the first paint.
 */
type Chosen = Partial<Record<string, boolean>>;

const storageKey = 'allclear:groups';
const listeners = new Set<() => void>();
let kept: { text: string; chosen: Chosen } = { text: '{}', chosen: {} };

/** Returns the same object until the choice changes. */
export function chosenGroups(): Chosen {
  const text = read();
  if (text !== kept.text) kept = { text, chosen: parse(text) };
  return kept.chosen;
}

export function chooseGroup(code: string, isOpen: boolean): void {
  const chosen = { ...chosenGroups(), [code]: isOpen };
  kept = { text: JSON.stringify(chosen), chosen };
  try {
    localStorage.setItem(storageKey, kept.text);
  } catch {
    // Storage may be forbidden. Then the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function subscribeToGroups(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): string {
  try {
    return localStorage.getItem(storageKey) ?? '{}';
  } catch {
    return kept.text;
  }
}

function parse(text: string): Chosen {
  try {
    return Object(JSON.parse(text)) as Chosen;
  } catch {
    return {};
  }
}
