import { useCallback, useMemo, useState } from 'react';
import { paths } from '@/paths';

/** A mailed link that brought somebody here. */
export interface MailedLink {
  kind: 'invitation' | 'reset' | 'confirmation' | 'address';
  token: string;
  /** Its token has done its work; what is shown about it may stay until the session has changed. */
  used: boolean;
}

export interface LinkState {
  link: MailedLink | null;
  /** Says that the token has been used: from here on no address holds it. */
  use: () => void;
  /** Goes on without it. */
  dismiss: () => void;
}

/** The mailed link in the address the page was opened at. */
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

/** The invitation's token in what somebody pasted: the whole link, or the token alone. */
export function invitationToken(pasted: string): string | null {
  const trimmed = pasted.trim();
  if (URL.canParse(trimmed)) return new URL(trimmed).searchParams.get('invitation');
  return /^[\w-]+$/.test(trimmed) ? trimmed : null;
}
