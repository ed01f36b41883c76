import type { Change } from '@/api/types';
import { paths } from '@/paths';

const things: Record<string, string> = {
  organisation: 'the settings of',
  component: 'component',
  'component-history': 'the history of component',
  'component-group': 'group',
  'component-order': 'the order of the status page',
  incident: 'incident',
  'incident-update': 'an update of incident',
  'incident-review': 'the review of incident',
  maintenance: 'maintenance',
  'maintenance-update': 'an update of maintenance',
  subscriber: 'a subscriber',
  domain: 'the domain of',
  member: 'member',
  invitation: 'an invitation',
  'api-key': 'API key',
  account: 'the account of',
  password: 'the password of',
  factor: 'a second factor of',
  'recovery-codes': 'recovery codes of',
};

/** Things and actions whose words name no target. */
const nameless = new Set(['component-order', 'subscriber', 'invitation', 'session.created']);

const verbs: Record<string, string> = {
  created: 'created',
  updated: 'changed',
  deleted: 'deleted',
  published: 'published',
  started: 'started',
  completed: 'completed',
  verified: 'verified',
  changed: 'changed',
  added: 'added',
  removed: 'removed',
};

const specialVerbs: Record<string, string> = {
  'component-order.updated': 'changed',
  'component-history.created': 'corrected',
  'component-history.updated': 'corrected',
  'component-history.deleted': 'corrected',
  'incident-update.created': 'recorded',
  'maintenance-update.created': 'recorded',
  'incident-review.created': 'wrote',
  'subscriber.created': 'added',
};

/** Actions whose words are no verb and thing. */
const phrases: Record<string, string> = {
  'organisation.created': 'created the organisation',
  'subscriber.imported': 'imported subscribers',
  'member.role-changed': 'changed the role of',
  'session.created': 'signed in',
  'session.deleted': 'ended a session of',
  'session.refused': 'refused a sign-in of',
};

/** Things of which neighbouring changes are joined. */
const plurals: Record<string, string> = {
  subscriber: 'subscribers',
  invitation: 'invitations',
};

/** Phrases about changes of which the author is the target. */
const ownPhrases: Record<string, string> = {
  'member.added': 'joined the organisation',
  'member.role-changed': 'changed their own role',
  'member.removed': 'left the organisation',
  'session.deleted': 'ended a session',
  'account.updated': 'changed their account',
  'password.changed': 'changed their password',
  'factor.created': 'added a second factor',
  'factor.updated': 'changed a second factor',
  'factor.deleted': 'deleted a second factor',
  'factor.copied': 'copied a second factor',
  'recovery-codes.created': 'created recovery codes',
};

/** Phrases about changes by people whom the server does not know. */
const anonymousPhrases: Record<string, string> = {
  'organisation.created': 'created the organisation',
  'session.refused': 'failed to sign in as',
};

/** Changes that people make by a link in a mail, before they are signed in. */
const byLink = new Set(['member.added', 'password.changed']);

/** A change as a sentence: `Ada recorded an update of incident “Checkout fails”`. */
interface ChangeText {
  who: string;
  /** Verb and thing. */
  what: string;
  /** Name of the target; undefined if the words say enough. */
  name: string | undefined;
}

/** `count` is the number of equal changes that the sentence is about. */
export function changeText({ actor, action, target }: Change, count = 1): ChangeText {
  const own = actor.id === target.id ? ownPhrases[action] : undefined;
  if (own !== undefined) return { who: actor.name, what: own, name: undefined };
  // The server takes a request of nobody for one of the identity provider, also without
  // such a provider.
  if (actor.type === 'PROVIDER' && actor.name === 'Identity provider' && target.name !== null) {
    const what = anonymousPhrases[action];
    if (what !== undefined) return { who: 'Somebody', what, name: target.name };
    if (byLink.has(action)) {
      return { who: target.name, what: ownPhrases[action] ?? action, name: undefined };
    }
  }
  const [thing = '', past = ''] = action.split('.');
  const verb = specialVerbs[action] ?? verbs[past] ?? past;
  const words = count > 1 ? `${count} ${plurals[thing]}` : (things[thing] ?? thing);
  const named = !nameless.has(thing) && !nameless.has(action) && target.name !== null;
  return {
    who: actor.name,
    what: phrases[action] ?? `${verb} ${words}`,
    name: named ? (target.name ?? undefined) : undefined,
  };
}

/** A change, with the number of equal ones before it. */
interface JoinedChange {
  change: Change;
  count: number;
}

/**
 * Joins neighbouring changes that have the same author and the same text, of which none
 * names a thing.
 */
export function joinChanges(changes: readonly Change[]): JoinedChange[] {
  const joined: JoinedChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    if (last && isSame(last.change, change)) last.count += 1;
    else joined.push({ change, count: 1 });
  }
  return joined;
}

function isSame({ actor, action }: Change, other: Change): boolean {
  const [thing = '', past = ''] = action.split('.');
  // The others may concern one thing several times.
  const isOfMany = thing in plurals && (past === 'created' || past === 'deleted');
  const isSameActor =
    actor.type === other.actor.type &&
    actor.id === other.actor.id &&
    actor.name === other.actor.name;
  return isOfMany && action === other.action && isSameActor;
}

const screens: Partial<Record<Change['target']['type'], (id: string) => string>> = {
  COMPONENT: paths.components.edit,
  COMPONENT_GROUP: () => paths.components.list,
  ORGANISATION: () => paths.settings,
  INCIDENT: paths.incidents.edit,
  MAINTENANCE: paths.schedules.edit,
  SUBSCRIBER: () => paths.subscribers,
  USER: () => paths.organisation,
  INVITATION: () => paths.organisation,
  API_KEY: () => paths.settings,
};

/** Identifiers of what these changes deleted. */
export function deletedTargets(changes: readonly Change[]): Set<string> {
  const deletions = changes.filter(({ action, target }) => {
    const thing = target.type.toLowerCase().replace('_', '-');
    return action === `${thing}.deleted`;
  });
  return new Set(deletions.map(({ target }) => target.id));
}

/** The screen of a change's target; undefined if it has none. */
export function targetPath({ target }: Change, deleted: ReadonlySet<string>): string | undefined {
  return deleted.has(target.id) ? undefined : screens[target.type]?.(target.id);
}
