const height = 18;

interface NameTickProps {
  /** Where the name ends. */
  x: number;
  /** The middle of the bar. */
  y: number;
  width: number;
  name: string;
}

/**
 * The name before a bar. A wide name is cut at its end; the tooltip has all of it. SVG cannot
 * measure text by itself.
 */
export function NameTick({ x, y, width, name }: NameTickProps) {
  return (
    <foreignObject x={x - width} y={y - height / 2} width={width} height={height}>
      <div dir="auto" title={name} className="truncate text-right text-xs leading-4.5 text-muted">
        {name}
      </div>
    </foreignObject>
  );
}
