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
  'organisation.created': 'founded organisation',
  'subscriber.imported': 'imported subscribers',
  'member.role-changed': 'changed the role of',
  'session.created': 'signed in',
  'session.deleted': 'ended a session of',
  'session.refused': 'refused a sign-in of',
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

/** A change as a sentence: `Ada recorded an update of incident “Checkout fails”`. */
interface ChangeText {
  who: string;
  /** Verb and thing. */
  what: string;
  /** Name of the target; undefined if the words say enough. */
  name: string | undefined;
}

export function changeText({ actor, action, target }: Change): ChangeText {
  const own = actor.id === target.id ? ownPhrases[action] : undefined;
  if (own !== undefined) return { who: actor.name, what: own, name: undefined };
  const [thing = '', past = ''] = action.split('.');
  const verb = specialVerbs[action] ?? verbs[past] ?? past;
  const words = things[thing] ?? thing;
  const named = !nameless.has(thing) && !nameless.has(action) && target.name !== null;
  return {
    who: actor.name,
    what: phrases[action] ?? `${verb} ${words}`,
    name: named ? (target.name ?? undefined) : undefined,
  };
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
