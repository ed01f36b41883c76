import { saveFile } from '@/ui/save-file';

export type Cell = string | number | null;

/**
 * Writes rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets a
 * leading apostrophe.
 */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves rows as a file of the browser's downloads. */
export function downloadCsv(fileName: string, rows: readonly (readonly Cell[])[]): void {
  // Spreadsheets recognise UTF-8 by the byte order mark.
  const blob = new Blob(['\uFEFF', toCsv(rows)], { type: 'text/csv;charset=utf-8' });
  saveFile(fileName, blob);
}
