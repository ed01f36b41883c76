const name = 'sidebar:state';
const sevenDays = 7 * 24 * 60 * 60;

/** Expanded, unless it was last left collapsed. */
export function readSidebarExpanded(): boolean {
  return !document.cookie.split('; ').includes(`${name}=false`);
}

export function writeSidebarExpanded(isExpanded: boolean): void {
  document.cookie = `${name}=${String(isExpanded)}; path=/; max-age=${sevenDays}; SameSite=Lax`;
}
