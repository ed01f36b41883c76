/**
 * Copies the text of an element; false if the browser forbids it, as on pages without TLS. Then the
 * element is selected and can be copied by keyboard.
 */
export async function copyText(element: Element, text = element.textContent): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(element);
    return false;
  }
}
