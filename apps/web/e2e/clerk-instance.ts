import {
  generateKeyPairSync,
  randomUUID,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { OrganizationMembershipJSON } from '@clerk/shared/types';
import {
  client as clientPayload,
  membership as membershipPayload,
  session as sessionPayload,
  signIn as signInPayload,
  type ClientPayload,
  type Membership,
  type Organisation,
  type Person,
  type SessionPayload,
} from './clerk-payloads';

interface SignIn {
  id: string;
  person: Person;
}

interface Session {
  id: string;
  person: Person;
  organisationId: string | null;
}

/** The state of one browser. */
export interface Client {
  id: string;
  signIn: SignIn | null;
  session: Session | null;
}

const lifetimeSeconds = 60;

/** A Clerk application: its users, organisations and sessions. */
export class ClerkInstance {
  readonly issuer: string;
  readonly publishableKey: string;
  readonly secretKey = 'sk_test_stand_in';
  signUpMode: 'public' | 'waitlist' = 'public';
  readonly people: Person[] = [];
  readonly memberships: Membership[] = [];
  readonly waitlist: string[] = [];
  readonly #clients = new Map<string, Client>();
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly #keyId = `ins_${short()}`;

  constructor(host: string) {
    this.issuer = `https://${host}`;
    // Base64 of the frontend API's host and a dollar sign (packages/shared/src/keys.ts).
    this.publishableKey = `pk_test_${Buffer.from(`${host}$`).toString('base64')}`;
    this.#keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  }

  /** RFC 7517, at /.well-known/jwks.json of the frontend API (docs: "Manual JWT verification"). */
  get jwks(): { keys: JsonWebKey[] } {
    const key = this.#keys.publicKey.export({ format: 'jwk' });
    return { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: this.#keyId }] };
  }

  /** The same key for networkless verification (docs: "JWKS Public Key", PEM). */
  get pem(): string {
    return this.#keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  addPerson(firstName: string, lastName: string): Person {
    const email = `${firstName}.${lastName}@example.com`.toLowerCase();
    const id = `user_${short()}`;
    const person = { id, firstName, lastName, email, password: 'correct horse battery' };
    this.people.push(person);
    return person;
  }

  addOrganisation(name: string, person: Person): Organisation {
    const slug = name.toLowerCase().replaceAll(' ', '-');
    const organisation = { id: `org_${short()}`, name, slug };
    const id = `orgmem_${short()}`;
    this.memberships.push({ id, person, organisation, role: 'org:admin' });
    return organisation;
  }

  /** Returns the state of a browser by its token. */
  client(browser: string | null): Client {
    const known = browser === null ? undefined : this.#clients.get(browser);
    if (known) return known;
    const made: Client = { id: `client_${short()}`, signIn: null, session: null };
    if (browser !== null) this.#clients.set(browser, made);
    return made;
  }

  signedIn(client: Client, person: Person): Session {
    client.session = { id: `sess_${short()}`, person, organisationId: null };
    return client.session;
  }

  /** Ends all sessions of a user, like Clerk's dashboard. */
  revoke(person: Person): void {
    for (const client of this.#clients.values()) {
      if (client.session?.person === person) client.session = null;
    }
  }

  membershipsOf(person: Person): OrganizationMembershipJSON[] {
    return this.memberships
      .filter((each) => each.person === person)
      .map((each) => membershipPayload(each, this.membersOf(each.organisation.id).length));
  }

  membersOf(organisationId: string): Membership[] {
    return this.memberships.filter(({ organisation }) => organisation.id === organisationId);
  }

  describe(client: Client, origin: string | null): ClientPayload {
    const { signIn } = client;
    const session = this.describeSession(client, origin);
    return clientPayload(
      client.id,
      session ? [session] : [],
      signIn && signInPayload(signIn.id, signIn.person, null),
    );
  }

  describeSession({ session }: Client, origin: string | null): SessionPayload | null {
    if (session === null) return null;
    const { id, organisationId, person } = session;
    const token = this.token(session, origin);
    return sessionPayload(id, token, organisationId, person, this.membershipsOf(person));
  }

  /**
   * A session token, version 2 (docs: "Session tokens",
   * clerk.com/docs/guides/sessions/session-tokens).
   */
  token({ id, person, organisationId }: Session, origin: string | null): string {
    const now = Math.floor(Date.now() / 1000);
    const membership = this.memberships.find(
      (each) => each.person === person && each.organisation.id === organisationId,
    );
    const claims = {
      ...(origin !== null && { azp: origin }),
      exp: now + lifetimeSeconds,
      fva: [0, -1],
      iat: now,
      iss: this.issuer,
      jti: randomUUID().replaceAll('-', ''),
      nbf: now - 10,
      ...(membership && {
        o: {
          id: membership.organisation.id,
          slg: membership.organisation.slug,
          rol: membership.role.replace('org:', ''),
        },
      }),
      sid: id,
      sts: 'active',
      sub: person.id,
      v: 2,
    };
    const header = { alg: 'RS256', cat: 'cl_B7d4PD111AAA', kid: this.#keyId, typ: 'JWT' };
    const signed = `${encode(header)}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), this.#keys.privateKey);
    return `${signed}.${signature.toString('base64url')}`;
  }
}

export function short(): string {
  return randomUUID().replaceAll('-', '').slice(0, 27);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
