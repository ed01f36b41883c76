/** How long a control says that it has copied. */
export const copiedForMs = 2000;

/** Copies a text; false if the browser forbids it, as on pages without TLS. */
export async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects the text of an element, so that it can be copied by keyboard. */
export function selectText(element: Element): void {
  window.getSelection()?.selectAllChildren(element);
}
