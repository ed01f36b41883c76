/** The heading over the calls of a tag of the OpenAPI document. */
export function groupTitle(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ');
}
