interface Listed {
  id: string;
}

/** What is done to the pages of a list: the same for an answer of the API and for an event of the socket. */
export type ListChange<T> = (pages: readonly T[][]) => T[][];

/** Puts a new item on top. An item that is there already, because it came by another way too, is replaced. */
export function withNew<T extends Listed>(item: T): ListChange<T> {
  return (pages) => {
    const isKnown = pages.some((page) => page.some(({ id }) => id === item.id));
    if (isKnown) return withReplaced(item)(pages);
    return pages.map((page, index) => (index === 0 ? [item, ...page] : page));
  };
}

/** Replaces the item of the same id. An item that the list does not show stays unshown. */
export function withReplaced<T extends Listed>(item: T): ListChange<T> {
  return (pages) => pages.map((page) => page.map((other) => (other.id === item.id ? item : other)));
}

/** Gives the item of the same id what is told of it; what is not told, it keeps. */
export function withChanged<T extends Listed>(told: Partial<NoInfer<T>> & Listed): ListChange<T> {
  return withChangedBy<T>(told.id, () => told);
}

/** Gives the item of this id what follows from how it is known. */
export function withChangedBy<T extends Listed>(
  id: string,
  change: (known: T) => Partial<NoInfer<T>>,
): ListChange<T> {
  return (pages) =>
    pages.map((page) =>
      page.map((other) => (other.id === id ? { ...other, ...change(other) } : other)),
    );
}

export function without<T extends Listed>(id: string): ListChange<T> {
  return (pages) => pages.map((page) => page.filter((item) => item.id !== id));
}
