import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { ScopeKind, Subscriber, SubscriberStatus } from '@/api/types';
import type { ListFilter } from '@/items/list-page';
import { channelNames } from '@/subscription/channels';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { subscriberStatuses } from '@/ui/subscriber-statuses';
import { scopeNames } from './subscriber';

type Options = Readonly<Record<string, string>>;

const statesOf: Record<string, SubscriberStatus> = {
  subscribed: 'SUBSCRIBED',
  pending: 'PENDING',
  unsubscribed: 'UNSUBSCRIBED',
};

const scopesOf: Record<string, ScopeKind> = {
  all: 'ALL',
  components: 'COMPONENTS',
  incident: 'INCIDENT',
};

const states: Options = {
  ...labels(statesOf, (state) => subscriberStatuses[state].label),
  failing: 'Failing',
};
const scopes: Options = labels(scopesOf, (scope) => scopeNames[scope]);

/** The filter of the list. The query of the address keeps what is chosen, but no part of a subscriber's address. */
export function useSubscriberFilter(): ListFilter<Subscriber> {
  const [query, setQuery] = useSearchParams();
  const channel = chosen(query, 'channel', channelNames);
  const scope = chosen(query, 'scope', scopes);
  const state = chosen(query, 'state', states);
  const [text, setText] = useState('');
  const searched = text.trim().toLowerCase();

  const isShown = useCallback(
    (subscriber: Subscriber) =>
      subscriber.target.toLowerCase().includes(searched) &&
      (channel === '' || subscriber.channel === channel) &&
      (scope === '' || subscriber.scope === scopesOf[scope]) &&
      (state === '' || hasState(subscriber, state)),
    [searched, channel, scope, state],
  );

  function choose(name: string, value: string) {
    const next = new URLSearchParams(query);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setQuery(next, { replace: true });
  }

  const select = (name: string, label: string, value: string, options: Options) => (
    <Field label={label} className="sm:w-44">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => choose(name, target.value)}>
          <option value="">All</option>
          {Object.entries(options).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );

  return {
    controls: (
      <div role="group" aria-label="Filter" className="grid grid-cols-2 gap-3 sm:flex sm:flex-wrap">
        <Field label="Email or URL" className="col-span-2 sm:w-64">
          {(control) => (
            <Input
              {...control}
              type="search"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {select('channel', 'Channel', channel, channelNames)}
        {select('scope', 'Updates about', scope, scopes)}
        {select('state', 'Status', state, states)}
      </div>
    ),
    isActive: searched !== '' || channel !== '' || scope !== '' || state !== '',
    isShown,
  };
}

function hasState({ status, failing }: Subscriber, state: string): boolean {
  return state === 'failing' ? Boolean(failing) : status === statesOf[state];
}

/** Returns '' for a missing or unknown choice. */
function chosen(query: URLSearchParams, name: string, options: Options): string {
  const value = query.get(name) ?? '';
  return Object.hasOwn(options, value) ? value : '';
}

function labels<T>(values: Readonly<Record<string, T>>, label: (value: T) => string): Options {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, label(value)]));
}
