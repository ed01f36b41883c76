import { short, type ClerkInstance, type Client } from './clerk-instance';
import {
  environment,
  membership as membershipPayload,
  organization,
  signIn as signInPayload,
  user,
} from './clerk-payloads';

export interface Call {
  method: string;
  path: string;
  body: URLSearchParams;
  origin: string | null;
  /** The browser. */
  browser: string | null;
  secretKey: string | null;
}

export interface RouteResponse {
  status: number;
  body: unknown;
}

interface Context {
  instance: ClerkInstance;
  client: Client;
  call: Call;
  /** Groups of the pattern. */
  parts: string[];
}

type Handler = (context: Context) => unknown;

/** An error in the form of the frontend API (ClerkAPIErrorJSON in @clerk/shared/types). */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The calls, by method and path; each names the file of clerk/javascript's
 * packages/clerk-js/src/core/resources that makes it.
 */
const calls: readonly (readonly [string, RegExp, Handler])[] = [
  // ../auth/devBrowser.ts
  ['POST', /^\/v1\/dev_browser$/, () => new Bare({ object: 'dev_browser', id: `dvb_${short()}` })],
  // Environment.ts
  ['GET', /^\/v1\/environment$/, ({ instance }) => new Bare(environment(instance.signUpMode))],
  ['PATCH', /^\/v1\/environment$/, ({ instance }) => new Bare(environment(instance.signUpMode))],
  // Client.ts
  ['GET', /^\/v1\/client$/, ({ instance, client, call }) => instance.describe(client, call.origin)],
  ['DELETE', /^\/v1\/client\/sessions$/, signOut],
  // SignIn.ts
  ['POST', /^\/v1\/client\/sign_ins$/, createSignIn],
  ['POST', /^\/v1\/client\/sign_ins\/(\w+)\/attempt_first_factor$/, attemptPassword],
  // Session.ts
  ['POST', /^\/v1\/client\/sessions\/(\w+)\/touch$/, touch],
  ['POST', /^\/v1\/client\/sessions\/(\w+)\/remove$/, signOut],
  ['POST', /^\/v1\/client\/sessions\/(\w+)\/tokens$/, token],
  // User.ts, OrganizationMembership.ts, UserOrganizationInvitation.ts, OrganizationSuggestion.ts
  ['GET', /^\/v1\/me$/, ({ instance, client }) => me(instance, client)],
  ['GET', /^\/v1\/me\/organization_memberships$/, myMemberships],
  ['GET', /^\/v1\/me\/organization_(?:invitations|suggestions)$/, () => page([])],
  // Organization.ts
  ['POST', /^\/v1\/organizations$/, createOrganisation],
  ['GET', /^\/v1\/organizations\/(\w+)$/, readOrganisation],
  ['GET', /^\/v1\/organizations\/(\w+)\/memberships$/, members],
  [
    'GET',
    /^\/v1\/organizations\/\w+\/(?:roles|invitations|membership_requests|domains)$/,
    () => page([]),
  ],
  // Waitlist.ts
  ['POST', /^\/v1\/waitlist$/, joinWaitlist],
];

/** A response without the usual envelope. */
class Bare {
  readonly body: unknown;

  constructor(body: unknown) {
    this.body = body;
  }
}

export function route(instance: ClerkInstance, call: Call): RouteResponse {
  if (call.path === '/.well-known/jwks.json') return { status: 200, body: instance.jwks };
  if (call.secretKey !== null) return backend(instance, call);
  for (const [method, pattern, handle] of calls) {
    const match = method === call.method ? pattern.exec(call.path) : null;
    if (match) return frontend(instance, call, handle, match.slice(1));
  }
  return { status: 404, body: { errors: [{ code: 'resource_not_found', message: call.path }] } };
}

/**
 * `{response, client}`: each response contains the current client
 * (packages/clerk-js/src/core/resources/Base.ts).
 */
function frontend(
  instance: ClerkInstance,
  call: Call,
  handle: Handler,
  parts: string[],
): RouteResponse {
  const client = instance.client(call.browser);
  try {
    const response = handle({ instance, client, call, parts });
    if (response instanceof Bare) return { status: 200, body: response.body };
    const now = instance.describe(client, call.origin);
    return { status: 200, body: { response, client: now } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message } = error;
    return { status, body: { errors: [{ code, message, long_message: message }] } };
  }
}

/** The backend API responds without an envelope (docs: "Backend API", organizations and users). */
function backend(instance: ClerkInstance, { path, secretKey }: Call): RouteResponse {
  if (secretKey !== instance.secretKey) return { status: 401, body: { errors: [] } };
  const [, kind, id = ''] = /^\/v1\/(organizations|users)\/(\w+)$/.exec(path) ?? [];
  const members = instance.membersOf(id);
  if (kind === 'organizations' && members[0]) {
    return { status: 200, body: organization(members[0].organisation, members.length) };
  }
  const person = instance.people.find((each) => each.id === id);
  if (kind === 'users' && person) return { status: 200, body: user(person, []) };
  return { status: 404, body: { errors: [{ code: 'resource_not_found', message: path }] } };
}

function page(data: unknown[]) {
  return { data, total_count: data.length };
}

function createSignIn({ instance, client, call }: Context) {
  const identifier = call.body.get('identifier');
  const person = instance.people.find(({ email }) => email === identifier);
  if (!person) {
    throw new Refusal(422, 'form_identifier_not_found', "Couldn't find your account.");
  }
  client.signIn = { id: `sia_${short()}`, person };
  if (call.body.has('password')) return attempt(instance, client, call);
  return signInPayload(client.signIn.id, person, null);
}

function attemptPassword({ instance, client, call }: Context) {
  return attempt(instance, client, call);
}

function attempt(instance: ClerkInstance, client: Client, { body }: Call) {
  const { signIn } = client;
  if (signIn === null) throw new Refusal(404, 'resource_not_found', 'No such sign-in.');
  if (body.get('password') !== signIn.person.password) {
    throw new Refusal(
      422,
      'form_password_incorrect',
      'Password is incorrect. Try again, or use another method.',
    );
  }
  client.signIn = null;
  const { id } = instance.signedIn(client, signIn.person);
  return signInPayload(signIn.id, signIn.person, id);
}

function sessionOf({ client }: Context) {
  if (client.session === null) throw new Refusal(401, 'signed_out', 'Signed out');
  return client.session;
}

function touch(context: Context) {
  const session = sessionOf(context);
  const wanted = context.call.body.get('active_organization_id');
  if (wanted !== null) session.organisationId = wanted === '' ? null : wanted;
  return context.instance.describeSession(context.client, context.call.origin);
}

function token(context: Context) {
  const session = sessionOf(context);
  const wanted = context.call.body.get('organization_id');
  const organisationId = wanted === null ? session.organisationId : wanted || null;
  const jwt = context.instance.token({ ...session, organisationId }, context.call.origin);
  return new Bare({ object: 'token', jwt });
}

function signOut({ client }: Context) {
  client.session = null;
  return null;
}

function me(instance: ClerkInstance, { session }: Client) {
  if (session === null) throw new Refusal(401, 'signed_out', 'Signed out');
  return user(session.person, instance.membershipsOf(session.person));
}

function myMemberships(context: Context) {
  return page(context.instance.membershipsOf(sessionOf(context).person));
}

function createOrganisation(context: Context) {
  const { person } = sessionOf(context);
  const name = context.call.body.get('name') ?? '';
  return organization(context.instance.addOrganisation(name, person), 1);
}

function readOrganisation({ instance, parts: [id = ''] }: Context) {
  const members = instance.membersOf(id);
  if (!members[0]) throw new Refusal(404, 'resource_not_found', 'No such organization.');
  return organization(members[0].organisation, members.length);
}

function members({ instance, parts: [id = ''] }: Context) {
  const all = instance.membersOf(id);
  return page(all.map((each) => membershipPayload(each, all.length)));
}

function joinWaitlist({ instance, call }: Context) {
  const address = call.body.get('email_address') ?? '';
  instance.waitlist.push(address);
  return { object: 'waitlist', id: `wle_${short()}`, created_at: 0, updated_at: 0 };
}
