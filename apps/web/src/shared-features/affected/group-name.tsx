interface GroupNameProps {
  /** Undefined while the groups are read. */
  children: string | undefined;
}

/** The name of a component's group, below the name of the component. */
export function GroupName({ children }: GroupNameProps) {
  return (
    <span dir="auto" className="line-clamp-1 text-sm wrap-anywhere text-muted">
      {/* The line is there before the groups are read, so that no row moves. */}
      {children ?? '\u00a0'}
    </span>
  );
}
