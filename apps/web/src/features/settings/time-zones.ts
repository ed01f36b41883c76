/** Names of the IANA time zones that the browser knows. */
export function timeZones(): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return ['Etc/UTC', ...known.filter((name) => name !== 'Etc/UTC' && name !== 'UTC')];
}

/** The name of a zone as people write it: "America/New York". */
export function zoneLabel(zone: string): string {
  return zone.replaceAll('_', ' ');
}

/**
 * Returns the zone that a typed text means: its name, its city, or the beginning of its city if it
 * is the only one that begins so. Returns undefined if there is no such zone.
 */
export function zoneOf(text: string): string | undefined {
  const wanted = text.trim();
  if (wanted === '') return undefined;
  const words = normal(wanted);
  const zones = timeZones();
  const named = zones.filter((zone) => normal(zone) === words || cityOf(zone) === words);
  const begun = zones.filter((zone) => cityOf(zone).startsWith(words));
  return only(named) ?? canonicalName(wanted) ?? only(begun);
}

/**
 * The browser's name for an older or another name of a zone, in any case; the server knows names in
 * their own case only.
 */
function canonicalName(name: string): string | undefined {
  // The browser takes offsets for zones, the server does not.
  if (/^[+-]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function cityOf(zone: string): string {
  return normal(zone.slice(zone.lastIndexOf('/') + 1));
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[\s_]+/g, ' ');
}

function only(zones: readonly string[]): string | undefined {
  return zones.length === 1 ? zones[0] : undefined;
}
