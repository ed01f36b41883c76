interface Item {
  id: string;
}

/** Changes the pages of a cached list. */
export type ListChange<T> = (pages: readonly T[][]) => T[][];

/** Adds an item on top, or replaces the item of the same id. */
export function addItem<T extends Item>(item: T): ListChange<T> {
  return addOrPatchItem<T>(item, item);
}

/** Adds `item` on top. A cached item of the same id takes only the values of `received`. */
export function addOrPatchItem<T extends Item>(
  received: Partial<NoInfer<T>> & Item,
  item: T,
): ListChange<T> {
  return (pages) => {
    const isCached = pages.some((page) => page.some(({ id }) => id === item.id));
    if (isCached) return patchItem<T>(received)(pages);
    return pages.map((page, index) => (index === 0 ? [item, ...page] : page));
  };
}

/**
 * Changes the item of the same id; the values that `received` lacks stay. An unknown item
 * is ignored.
 */
export function patchItem<T extends Item>(received: Partial<NoInfer<T>> & Item): ListChange<T> {
  return patchItemBy<T>(received.id, () => received);
}

/** Changes the item of this id by the values that `change` returns. */
export function patchItemBy<T extends Item>(
  id: string,
  change: (cached: T) => Partial<NoInfer<T>>,
): ListChange<T> {
  return (pages) =>
    pages.map((page) => page.map((item) => (item.id === id ? { ...item, ...change(item) } : item)));
}

export function removeItem<T extends Item>(id: string): ListChange<T> {
  return (pages) => pages.map((page) => page.filter((item) => item.id !== id));
}
