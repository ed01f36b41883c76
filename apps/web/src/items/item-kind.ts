/** What the shared screens need to know of one kind of item. */
export interface ItemKind<Item> {
  /** As in "Delete this component?" and "Delete 2 components?". */
  noun: string;
  plural: string;
  endpoints: { list: string; item: (id: string) => string };
  nameOf: (item: Item) => string;
  listFailed: string;
  deletion: {
    /** What a deletion means, for the question before it. */
    one: (name: string) => string;
    selected: string;
    /** Toasts; a deletion without `done` is silent. */
    done?: string;
    failed: string;
    /** Toasts of the deletion of selected items, where they differ. */
    selectedDone?: string;
    selectedFailed?: string;
  };
}
