const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** Formats seconds by their two largest units: "3 d 4 h", "2 h 14 min", "45 s". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const largest = units.findIndex(([, length]) => whole >= length);
  if (largest === -1) return `${String(whole)} s`;
  let rest = whole;
  const parts: string[] = [];
  for (const [unit, length] of units.slice(largest, largest + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${String(count)} ${unit}`);
  }
  return parts.join(' ');
}
