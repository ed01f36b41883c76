import { expect, type APIRequestContext, type BrowserContext } from '@playwright/test';

interface Envelope<T> {
  data: T;
}

export interface Account {
  name: string;
  email: string;
  password: string;
}

/** Access to the mails of an installation. */
interface Mailbox {
  mailedLink: (to: string) => Promise<string>;
}

/** A user with an account and organisations, created by requests before a test. */
export class Operator {
  readonly account: Account;
  readonly #request: APIRequestContext;

  constructor(account: Account, request: APIRequestContext) {
    this.account = account;
    this.#request = request;
  }

  /**
   * Creates the account, by the mailed link unless it is the first. The request context keeps
   * the session.
   */
  async signUp(server: Mailbox): Promise<void> {
    const made = await this.#identity<{ pending?: boolean }>('sign-up', this.account);
    if (!made.pending) return;
    const link = new URL(await server.mailedLink(this.account.email));
    await this.#identity('sign-up/confirm', { token: link.searchParams.get('confirmation') });
  }

  async createOrganisation(name: string): Promise<Organisation> {
    const { id } = await this.#identity<{ id: string }>('organisations', { name });
    return new Organisation(id, name, this, this.#request);
  }

  async bearer(organisationId: string): Promise<string> {
    const { token } = await this.#identity<{ token: string }>('token', { organisationId });
    return token;
  }

  /** Accepts an invitation. */
  async accept(link: string): Promise<void> {
    await this.#identity('invitations/accept', {
      token: new URL(link).searchParams.get('invitation'),
    });
  }

  /** Signs this user in to a browser. */
  async signIn(browser: BrowserContext): Promise<void> {
    const { cookies } = await this.#request.storageState();
    await browser.addCookies(cookies);
  }

  async #identity<T>(call: string, data: object): Promise<T> {
    const response = await this.#request.post(`/api/v1/identity/${call}`, { data });
    await expect(response, `${call}: ${await response.text()}`).toBeOK();
    return ((await response.json()) as Envelope<T>).data;
  }
}

/** An organisation whose operator sends API requests. */
export class Organisation {
  readonly id: string;
  readonly name: string;
  readonly #operator: Operator;
  readonly #request: APIRequestContext;

  constructor(id: string, name: string, operator: Operator, request: APIRequestContext) {
    this.id = id;
    this.name = name;
    this.#operator = operator;
    this.#request = request;
  }

  get statusPage(): string {
    return `/status/${this.id}`;
  }

  /** Sends a request as the operator and returns its `data`. */
  async call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    data?: object,
  ): Promise<T> {
    const response = await this.#request.fetch(`/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${await this.#operator.bearer(this.id)}` },
      ...(data && { data }),
    });
    await expect(response, `${method} ${path}: ${await response.text()}`).toBeOK();
    return ((await response.json()) as Envelope<T>).data;
  }

  /** Invites a member by mail. */
  async invite(email: string): Promise<void> {
    await this.call('POST', `/identity/organisations/${this.id}/invitations`, {
      email,
      role: 'member',
    });
  }

  async createComponent(
    name: string,
    { status = 'OPERATIONAL', description = '' } = {},
  ): Promise<{ id: string; code: string }> {
    return this.call('POST', '/component/create', { name, status, description });
  }
}
