import { useCallback, useMemo, useState } from 'react';
import { paths } from '@/paths';

/** A mailed link that opened the page. */
export interface MailedLink {
  kind: 'invitation' | 'reset' | 'confirmation' | 'address';
  token: string;
  /** Whether the token has been used. The screen may stay until the session has changed. */
  used: boolean;
}

export interface LinkState {
  link: MailedLink | null;
  /** Marks the token as used and removes it from the address. */
  use: () => void;
  /** Discards the link. */
  dismiss: () => void;
}

/** Reads the mailed link from the address of the page. */
export function useLink(): LinkState {
  const [link, setLink] = useState(readLink);
  const use = useCallback(() => {
    forgetAddress();
    setLink((known) => known && { ...known, used: true });
  }, []);
  const dismiss = useCallback(() => {
    forgetAddress();
    setLink(null);
  }, []);
  return useMemo(() => ({ link, use, dismiss }), [link, use, dismiss]);
}

function readLink(): MailedLink | null {
  const { pathname, search } = window.location;
  return pathname === paths.login ? linkIn(new URLSearchParams(search)) : null;
}

function linkIn(query: URLSearchParams): MailedLink | null {
  for (const kind of ['invitation', 'reset', 'confirmation', 'address'] as const) {
    const token = query.get(kind);
    if (token) return { kind, token, used: false };
  }
  return null;
}

function forgetAddress(): void {
  if (window.location.pathname === paths.login && window.location.search !== '') {
    window.history.replaceState(window.history.state, '', paths.login);
  }
}

/** Extracts the token from a pasted invitation: the whole link or the token only. */
export function invitationToken(pasted: string): string | null {
  const trimmed = pasted.trim();
  if (URL.canParse(trimmed)) return new URL(trimmed).searchParams.get('invitation');
  return /^[\w-]+$/.test(trimmed) ? trimmed : null;
}
