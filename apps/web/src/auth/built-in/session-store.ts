import { anonymousApi } from '@/api/anonymous-api';
import type { GetToken } from '@/api/client';
import { ApiError } from '@/api/error';
import { withRetries } from '@/api/retry';
import type { AuthOrganisation } from '@/auth/auth';
import { endpoints } from '@/paths';
import { discardUnsavedChanges, hasUnsavedChanges } from '@/ui/unsaved-changes';
import { lastOrganisation, storeLastOrganisation } from './last-organisation';
import { TokenCache } from './token-cache';
import type { IssuedToken, Session, SessionUser, SignedOut, SignInWays } from './types';

export interface SignedIn {
  status: 'signed-in';
  user: SessionUser;
  ways: SignInWays;
  organisations: AuthOrganisation[];
  organisation: AuthOrganisation | null;
  /** Whether the session has ended on the server, so that the user has to sign in again. */
  hasEnded: boolean;
  /**
   * Whether the organisation requires a second factor, which the user has not used in this session.
   */
  needsFactor: boolean;
}

export type SessionState =
  | { status: 'loading' }
  | { status: 'failed'; message: string }
  | { status: 'signed-out' }
  | SignedIn;

/** A message to the other tabs. */
type TabMessage =
  | { kind: 'signed-out' }
  | { kind: 'opened' }
  | { kind: 'authenticated' }
  /** `organisationId` is null if the user has not switched to another organisation. */
  | { kind: 'changed'; organisationId: string | null };

/** The life of a token, which names the role of its user. */
const tokenLifeMs = 5 * 60_000;
/**
 * Minimum time between two readings that refused requests and events cause: what is read may cause
 * another such request.
 */
const outdatedIntervalMs = 10_000;

interface Options {
  /**
   * Called when the user has authenticated in another window. Only the server knows whether it
   * is true.
   */
  onAuthenticated?: () => void;
  /**
   * Whether the page asks the user to authenticate when the session cannot be used. The public page
   * does not.
   */
  hasDialogs?: boolean;
}

/**
 * The signed-in user and their organisation. The session itself is a cookie that no script
 * can read.
 */
export class SessionStore {
  readonly #tokens = new TokenCache(() => this.#askToken());
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { status: 'loading' };
  #channel: BroadcastChannel | null = null;
  #reading: Promise<void> | null = null;
  #readAt = 0;
  /** When a refused request or an event has caused a reading. */
  #outdatedAt = 0;
  #outdatedTimer: ReturnType<typeof setTimeout> | undefined;
  /** How many times the state of the server was adopted. */
  #adopted = 0;
  /** Called when it is adopted next. */
  readonly #waiting: (() => void)[] = [];
  readonly #options: Options;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  readonly getSnapshot = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the session and follows the other tabs, until the returned function is called. */
  start(): () => void {
    this.#channel = openChannel();
    if (this.#channel) {
      this.#channel.onmessage = (event: MessageEvent<TabMessage>) => this.#follow(event.data);
    }
    this.retry();
    return () => {
      this.#channel?.close();
      this.#channel = null;
      clearTimeout(this.#outdatedTimer);
      this.#outdatedTimer = undefined;
    };
  }

  /** Reads the session for a page that has none yet, or could not read it. */
  readonly retry = (): void => {
    this.#set({ status: 'loading' });
    this.#read(this.#adopt).then(
      // A sign-in with an identity provider loads the page, so other tabs do not learn of
      // it otherwise.
      () => this.#state.status === 'signed-in' && this.#broadcast({ kind: 'opened' }),
      (error: unknown) => {
        // A later reading, which another tab caused, may have succeeded.
        if (this.#state.status !== 'loading') return;
        const { message } = error instanceof ApiError ? error : ApiError.unreachable();
        this.#set({ status: 'failed', message });
      },
    );
  };

  /**
   * Waits while the user has to authenticate; without a dialog for that, it returns null. Rejects
   * if the user or the organisation changes before there is a token.
   */
  readonly getToken: GetToken = async (options) => {
    const before = this.#state;
    const token = await this.#awaitToken(options);
    // The path of a write need not name the organisation that the write was made in, only the
    // token does.
    if (isAnother(before, this.#state)) throw new ApiError(401, sessionChanged);
    return token;
  };

  async #awaitToken(options: Parameters<GetToken>[0]): Promise<string | null> {
    await this.#reading?.catch(() => undefined);
    if (this.#state.status !== 'signed-in') return null;
    if (this.#state.hasEnded || this.#state.needsFactor) {
      if (this.#options.hasDialogs === false) return null;
      await this.#untilAdopted();
      return this.#awaitToken(options);
    }
    const adopted = this.#adopted;
    try {
      return await this.#tokens.get(options);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401 || error.needsSecondFactor) {
        if (adopted === this.#adopted) {
          const needs = error.needsSecondFactor ? { needsFactor: true } : { hasEnded: true };
          this.#set({ ...this.#state, ...needs });
        }
        return this.#awaitToken(options);
      }
      // No longer a member: another organisation takes its place, if there is one. There, what was
      // typed would be lost.
      if (error.status === 403 && !hasUnsavedChanges()) await this.refresh();
      throw error;
    }
  }

  /** Another user may have changed the role of this one or the organisation's name. */
  readonly onOutdated = (): void => {
    const wait = this.#outdatedAt + outdatedIntervalMs - Date.now();
    if (wait > 0) {
      this.#outdatedTimer ??= setTimeout(this.onOutdated, wait);
      return;
    }
    clearTimeout(this.#outdatedTimer);
    this.#outdatedTimer = undefined;
    this.#outdatedAt = Date.now();
    this.#check();
  };

  /** Learns what has changed while the page was hidden. */
  readonly onWake = (): void => {
    if (Date.now() - this.#readAt >= tokenLifeMs) this.#check();
  };

  /**
   * Reads the session again, here and in the other tabs, and switches to `organisationId` if that
   * is given.
   */
  readonly refresh = async (organisationId: string | null = null): Promise<void> => {
    await this.#change(organisationId);
    // Asking for a token is what makes the server remember the organisation; it can be asked for
    // later as well.
    if (organisationId !== null) await this.#tokens.get().catch(() => undefined);
  };

  /** Works in another organisation of the user, in every tab without unsaved changes. */
  readonly switchTo = async (organisationId: string): Promise<void> => {
    await anonymousApi.post(endpoints.identity.token, { organisationId });
    await this.#change(organisationId);
  };

  readonly signOut = async (): Promise<void> => {
    try {
      const { data } = await anonymousApi.post<SignedOut>(endpoints.identity.signOut, {});
      // The page stays as it is until the browser has left it.
      if (data.providerUrl !== null) {
        this.#broadcast({ kind: 'signed-out' });
        // The user has answered for what was typed before the sign-out.
        discardUnsavedChanges();
        window.location.assign(data.providerUrl);
        return;
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
    this.#signedOut();
  };

  /** Informs the other tabs that the user has authenticated in this window. */
  readonly announceAuthentication = (): void => this.#broadcast({ kind: 'authenticated' });

  /** Leaves a session that has ended. */
  readonly leave = (): void => this.#signedOut();

  async #change(organisationId: string | null): Promise<void> {
    await this.#read((session) => this.#adopt(session, organisationId));
    this.#broadcast({ kind: 'changed', organisationId });
  }

  async #askToken(): Promise<IssuedToken> {
    const organisationId = this.#organisationId();
    const body = organisationId === null ? {} : { organisationId };
    return (await anonymousApi.post<IssuedToken>(endpoints.identity.token, body)).data;
  }

  /** Reads the session again while the page goes on. After a failure the shown state stays. */
  #check(): void {
    const state = this.#state;
    // A dialog waits for the user, and closes once the session is read.
    if (state.status !== 'signed-in' || state.hasEnded || state.needsFactor) return;
    // The earlier reading may switch the organisation.
    if (this.#reading !== null) return;
    this.#read((session) => {
      // The next request notices the end of the session, and keeps the screen.
      if (session !== null) this.#adopt(session, null, hasUnsavedChanges());
    }).catch(() => undefined);
  }

  /** Reads the session; null if there is none. */
  #read(adopt: (session: Session | null) => void): Promise<void> {
    const reading = withRetries(() => anonymousApi.get<Session | null>(endpoints.identity.session))
      .then(({ data }) => {
        // A later reading knows better.
        if (this.#reading !== reading) return;
        this.#readAt = Date.now();
        adopt(data);
      })
      .finally(() => {
        if (this.#reading === reading) this.#reading = null;
      });
    this.#reading = reading;
    return reading;
  }

  /** Resolves once the user of a session that has ended has signed in again, or has left. */
  #untilAdopted(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Without `wanted`, `stays` keeps the organisation of a user who is no longer a member: something
   * is typed there.
   */
  readonly #adopt = (
    session: Session | null,
    wanted: string | null = null,
    stays = false,
  ): void => {
    this.#adopted += 1;
    for (const proceed of this.#waiting.splice(0)) proceed();
    if (session === null) {
      this.#tokens.forget();
      this.#set({ status: 'signed-out' });
      return;
    }
    const { user, ways, organisations, activeOrganisationId } = session;
    const named = (id: string | null) => organisations.find((each) => each.id === id);
    // A user who signs in again stays in the organisation, of which a new session does not know.
    const isSameUser = this.#state.status === 'signed-in' && this.#state.user.id === user.id;
    const current = isSameUser ? this.#organisationId() : null;
    // Without an address of its own the account gets no token.
    const organisation = user.needsAddress
      ? null
      : (named(wanted) ??
        named(current) ??
        (isSameUser && stays ? this.#organisation() : undefined) ??
        named(activeOrganisationId) ??
        named(lastOrganisation(user.id)) ??
        organisations[0] ??
        null);
    if (organisation !== null) storeLastOrganisation(user.id, organisation.id);
    // A token names its person, organisation and role, any of which may be others now.
    this.#tokens.forget();
    this.#set({
      status: 'signed-in',
      user,
      ways,
      organisations,
      organisation,
      hasEnded: false,
      needsFactor: false,
    });
  };

  #follow(message: TabMessage): void {
    if (message.kind === 'signed-out') {
      this.#followSignOut();
      return;
    }
    if (message.kind === 'authenticated') this.#options.onAuthenticated?.();
    if (message.kind === 'opened' || message.kind === 'authenticated') {
      const hasEnded = this.#state.status === 'signed-in' && this.#state.hasEnded;
      if (hasEnded) this.#followSession((session) => this.#adopt(session));
      return;
    }
    // After a failed read the shown state stays; the next request notices the difference.
    this.#followSession((session) => {
      // In another organisation the screen would be mounted again, without what was typed by now.
      const stays = hasUnsavedChanges();
      this.#adopt(session, stays ? null : message.organisationId, stays);
    });
  }

  /** Reads the session after another tab has changed it. */
  #followSession(adopt: (session: Session) => void): void {
    this.#read((session) => {
      if (session === null) this.#followSignOut();
      else adopt(session);
    }).catch(() => undefined);
  }

  /**
   * Signs out as another tab did. What was typed stays, below the dialog that asks to sign
   * in again.
   */
  #followSignOut(): void {
    if (this.#state.status !== 'signed-in' || !hasUnsavedChanges()) {
      this.#adoptSignOut();
      return;
    }
    // The response to an earlier request may still name the user.
    this.#reading = null;
    this.#tokens.forget();
    this.#set({ ...this.#state, hasEnded: true, needsFactor: false });
  }

  #signedOut(): void {
    this.#adoptSignOut();
    this.#broadcast({ kind: 'signed-out' });
  }

  #adoptSignOut(): void {
    // The response to an earlier request may still name the user.
    this.#reading = null;
    this.#adopt(null);
  }

  #broadcast(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #organisation(): AuthOrganisation | null {
    return this.#state.status === 'signed-in' ? this.#state.organisation : null;
  }

  #organisationId(): string | null {
    return this.#organisation()?.id ?? null;
  }

  #set(state: SessionState): void {
    this.#state = state;
    this.#listeners.forEach((listener) => listener());
  }
}

/** Opens the channel of all tabs; null if the browser keeps no data of the site. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('allclear:session');
  } catch {
    return null;
  }
}

const sessionChanged =
  'The request was not sent, because the user or the organisation has changed.';

/** Whether both are signed in, but as different users or in different organisations. */
function isAnother(before: SessionState, now: SessionState): boolean {
  if (before.status !== 'signed-in' || now.status !== 'signed-in') return false;
  return before.user.id !== now.user.id || before.organisation?.id !== now.organisation?.id;
}
