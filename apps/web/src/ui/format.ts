const whole = new Intl.NumberFormat('en');

/** Formats a number with separators of thousands: "1,240". */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** Formats a number of things: "1 person", "1,240 people". By default the plural ends in s. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** Lists names, the first three of many: "API, Shop, Web and 2 more". */
export function formatNames(names: readonly string[]): string {
  const most = 3;
  const rest = names.length - most;
  const listed = names.slice(0, most).join(', ');
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

/** Formats a percentage with one or two decimals: "99.95 %". */
export function formatPercent(percentage: number): string {
  return `${percentage.toFixed(2).replace(/0$/, '')} %`;
}
