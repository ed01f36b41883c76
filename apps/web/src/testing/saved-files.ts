import { vi } from 'vitest';

interface SavedFile {
  name: string;
  content: Blob;
}

/** Returns the files that the browser saves from now on, until the test ends. */
export function savedFiles(): SavedFile[] {
  const files: SavedFile[] = [];
  const contents = new Map<string, Blob>();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    const address = `blob:${contents.size}`;
    contents.set(address, content as Blob);
    return address;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    const content = contents.get(this.href);
    if (content) files.push({ name: this.download, content });
  });
  return files;
}
