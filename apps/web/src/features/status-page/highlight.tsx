/** Glows softly over the nearest `relative` element each time that `changes` grows. */
export function Highlight({ changes = 0 }: { changes: number | undefined }) {
  if (changes === 0) return null;
  return (
    <span
      key={changes}
      aria-hidden
      data-print="hidden"
      className="live-highlight pointer-events-none absolute inset-0 rounded-[inherit]"
    />
  );
}
