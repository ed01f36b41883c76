// A real OpenID Connect provider for tests, which ends with its standard input. The first line of
// its input is {"clients": [{"id", "secret", "redirectUri", "signedOutUri"}]}; further lines change
// it: {"person": "ann@example.com", "claims": {…}} sets claims of a person, and with "amr": ["mfa"]
// how the person signs in; {"rotate": true} replaces its keys. It prints {"listening": PORT} and,
// after each further line, {"done": true}.
import process from 'node:process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider } from 'oidc-provider';

const people = new Map();
const methods = new Map();
const cookieKey = randomUUID();

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** A person signs in with a mail address and any password. */
function account(login) {
  const usual = { sub: login, email: login, email_verified: true, name: 'Grace Hopper' };
  return { accountId: login, claims: () => ({ ...usual, ...people.get(login) }) };
}

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
}

function provider(issuer, clients) {
  const made = new Provider(issuer, {
    clients: clients.map(({ id, secret, redirectUri, signedOutUri }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [signedOutUri],
    })),
    jwks: { keys: [newKey()] },
    cookies: { keys: [cookieKey] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    findAccount: (_context, login) => account(login),
    features: { devInteractions: { enabled: true } },
    // Nobody is asked for consent: a grant exists from the start.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  const { loginAccount } = made.Session.prototype;
  made.Session.prototype.loginAccount = function signIn(details) {
    loginAccount.call(this, { ...details, amr: methods.get(details.accountId) });
  };
  return made.callback();
}

let handle = (_request, response) => response.end();
const server = createServer((request, response) => handle(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const issuer = `http://127.0.0.1:${port}`;

let clients = null;
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (clients === null) {
    clients = message.clients;
    handle = provider(issuer, clients);
    say({ listening: port });
    continue;
  }
  if (message.person) {
    people.set(message.person, message.claims);
    methods.set(message.person, message.amr);
  }
  if (message.rotate) handle = provider(issuer, clients);
  say({ done: true });
}
process.exit();
