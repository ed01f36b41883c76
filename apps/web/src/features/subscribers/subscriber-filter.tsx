import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { ScopeKind, SubscriberStatus } from '@/api/types';
import type { ListFilter } from '@/items/list-page';
import { channelNames } from '@/shared-features/subscription/channels';
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

/** How long typing pauses before the server is asked. */
const typingPauseMs = 250;

/**
 * The filter of the list. The query of the address keeps what is chosen, but no part of a
 * subscriber's address.
 */
export function useSubscriberFilter(): ListFilter {
  const [query, setQuery] = useSearchParams();
  const channel = chosen(query, 'channel', channelNames);
  const scope = chosen(query, 'scope', scopes);
  const state = chosen(query, 'state', states);
  const [text, setText] = useState('');
  const email = useAfterPause(text.trim(), typingPauseMs);

  const filters = {
    email,
    channel,
    scope: scopesOf[scope],
    status: statesOf[state],
    failing: state === 'failing' ? 'true' : '',
  };
  const set = Object.entries(filters).filter(([, value]) => value);

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
        <Field label="Email" className="col-span-2 sm:w-64">
          {(control) => (
            <Input
              {...control}
              type="search"
              maxLength={254}
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
    query: new URLSearchParams(set as [string, string][]),
  };
}

/** The value once it has not changed for some time. */
function useAfterPause(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

/** Returns '' for a missing or unknown choice. */
function chosen(query: URLSearchParams, name: string, options: Options): string {
  const value = query.get(name) ?? '';
  return Object.hasOwn(options, value) ? value : '';
}

function labels<T>(values: Readonly<Record<string, T>>, label: (value: T) => string): Options {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, label(value)]));
}
