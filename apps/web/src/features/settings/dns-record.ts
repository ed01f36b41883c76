/** Whether a CNAME record can lead to a host: it has a name, which others know as well. */
export function hasPublicName(host: string): boolean {
  return /\.[^.]*[a-z][^.]*$/i.test(host);
}
