import { useMemo } from 'react';
import { encode } from 'uqr';

/** A QR code, dark on light in both themes, because some scanners cannot read the reverse. */
export function QrCode({ label, content }: { label: string; content: string }) {
  const { size, path } = useMemo(() => drawn(content), [content]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 justify-self-center rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/**
 * One square of the path for each dark module, with the border of four modules that the standard
 * asks for.
 */
function drawn(content: string): { size: number; path: string } {
  const { data, size } = encode(content, { ecc: 'M', border: 4 });
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  );
  return { size, path: squares.join('') };
}
