import { useFormikContext } from 'formik';
import { useEffect, useRef, type RefObject } from 'react';
import type { Channel } from '@/api/types';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { channelNames } from './channels';
import type { SubscriptionValues } from './subscription';

interface TargetFieldsProps {
  /** The channels to choose from. */
  channels: readonly Channel[];
  /**
   * Whether it is the visitor's own address, which the browser may fill in. An operator's dialog starts with the focus
   * on the address rather than on the channel; such a dialog needs `returnTo`.
   */
  own?: boolean;
}

/** Inside a form: the channel, if there are several, and its address. */
export function TargetFields({ channels, own = false }: TargetFieldsProps) {
  const { values, getFieldProps } = useFormikContext<SubscriptionValues>();
  const address = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!own) address.current?.focus();
  }, [own]);
  return (
    <>
      {channels.length > 1 && (
        <Field label="Channel">
          {(control) => (
            <Select {...control} {...getFieldProps('channel')}>
              {channels.map((channel) => (
                <option key={channel} value={channel}>
                  {channelNames[channel]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {values.channel === 'email' ? (
        <EmailField input={address} autoComplete={own ? 'email' : 'off'} />
      ) : (
        <UrlField key={values.channel} channel={values.channel} />
      )}
    </>
  );
}

interface EmailFieldProps {
  input: RefObject<HTMLInputElement | null>;
  autoComplete: string;
}

function EmailField({ input, autoComplete }: EmailFieldProps) {
  const { touched, errors, getFieldProps } = useFormikContext<SubscriptionValues>();
  return (
    <Field label="Email" required error={touched.email && errors.email}>
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('email')}
          ref={input}
          // With type "email" a browser changes letters outside ASCII.
          type="text"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          autoComplete={autoComplete}
          placeholder="name@example.com"
        />
      )}
    </Field>
  );
}

type UrlChannel = Exclude<Channel, 'email'>;

const sources: Record<UrlChannel, { help: string; placeholder: string }> = {
  webhook: {
    help: 'An address of your program that takes POST requests. Each request is signed.',
    placeholder: 'https://example.com/status-updates',
  },
  slack: {
    help: 'In Slack, add the app “Incoming Webhooks” to the channel and copy its webhook URL.',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  teams: {
    help: 'In Teams, open “Workflows” of the channel, choose “Post to a channel when a webhook request is received”, and copy its URL.',
    placeholder: 'https://….logic.azure.com/workflows/…',
  },
  discord: {
    help: 'In Discord, open the settings of the channel, “Integrations”, “Webhooks”, and copy the URL of a new webhook.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
};

function UrlField({ channel }: { channel: UrlChannel }) {
  const { touched, errors, getFieldProps } = useFormikContext<SubscriptionValues>();
  const { help, placeholder } = sources[channel];
  return (
    <Field label="Webhook URL" required description={help} error={touched.target && errors.target}>
      {(control) => (
        <Input
          {...control}
          {...getFieldProps('target')}
          type="text"
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="off"
          placeholder={placeholder}
        />
      )}
    </Field>
  );
}
