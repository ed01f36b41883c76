/** Saves a file among the browser's downloads. */
export function saveFile(fileName: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser has begun to read the file by then.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
