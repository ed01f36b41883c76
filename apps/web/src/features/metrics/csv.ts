import type { Metrics } from '@/api/types';
import { saveFile } from '@/ui/save-file';

export type Cell = string | number | null;

/**
 * Writes rows as CSV (RFC 4180). An apostrophe precedes what a spreadsheet would run as a formula:
 * at the beginning of a text and, for programs that separate cells there, behind semicolons, tabs
 * and line breaks.
 */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(/(^|[;\t\r\n])([\s"]*)(?=[=+\-@])/g, "$1$2'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves rows as a file of the browser's downloads. */
export function downloadCsv(fileName: string, rows: readonly (readonly Cell[])[]): void {
  // Spreadsheets recognise UTF-8 by the byte order mark.
  const blob = new Blob(['\uFEFF', toCsv(rows)], { type: 'text/csv;charset=utf-8' });
  saveFile(fileName, blob);
}

/** Name of the file of a chart, without its ending. */
export function chartFile({ from, to }: Pick<Metrics, 'from' | 'to'>, chart: string): string {
  return `${chart}-${from}-to-${to}`;
}
