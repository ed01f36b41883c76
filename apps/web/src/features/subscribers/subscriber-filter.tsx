import { useEffect, useState } from 'react';
import type { ScopeKind, Subscriber, SubscriberStatus } from '@/api/types';
import {
  chosen,
  FilterFields,
  FilterSelect,
  labelsOf,
  useFilterQuery,
  type FilterOptions,
  type ListFilter,
} from '@/items/list-filter';
import { channelNames } from '@/shared-features/subscription/channels';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { subscriberStatuses } from '@/ui/subscriber-statuses';
import { scopeNames } from './subscriber';

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

const states: FilterOptions = {
  ...labelsOf(statesOf, (state) => subscriberStatuses[state].label),
  failing: 'Failing',
};
const scopes = labelsOf(scopesOf, (scope) => scopeNames[scope]);

/** How long typing pauses before the server is asked. */
const typingPauseMs = 250;

/**
 * The filter of the list. The query of the address keeps what is chosen, but no part of a
 * subscriber's address.
 */
export function useSubscriberFilter(): ListFilter<Subscriber> {
  const { query, choose } = useFilterQuery();
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

  const select = (name: string, label: string, value: string, options: FilterOptions) => (
    <FilterSelect
      label={label}
      value={value}
      options={options}
      onChoose={(next) => choose({ [name]: next })}
    />
  );

  return {
    controls: (
      <FilterFields>
        <Field label="Search" className="col-span-2 sm:w-64">
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
      </FilterFields>
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
