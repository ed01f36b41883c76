/** Renders text in which `backticks` mark code. */
export function Code({ text }: { text: string }) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={at} className="rounded-sm bg-neutral-soft px-1 font-mono text-[0.9em] text-ink">
        {part}
      </code>
    ),
  );
}
