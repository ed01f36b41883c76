import { useFormikContext } from 'formik';
import { useEffect, useRef, type FocusEvent, type RefObject } from 'react';
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
   * Whether it is the visitor's own address, which the browser may fill in. An operator's
   * dialog starts with the focus on the address rather than on the channel; such a dialog
   * needs `returnTo`.
   */
  own?: boolean;
}

/** Inside a form: the channel, if there are several, and its address. */
export function TargetFields({ channels, own = false }: TargetFieldsProps) {
  const { values, errors, getFieldProps, setFieldTouched } = useFormikContext<SubscriptionValues>();
  const isChosen = channels.length > 1;
  // Shown at the address if the channel has no field.
  const channelError = isChosen ? undefined : errors.channel;
  const channel = getFieldProps<Channel>('channel');
  const address = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!own) address.current?.focus();
  }, [own]);
  return (
    <>
      {isChosen && (
        <Field label="Channel" error={errors.channel}>
          {(control) => (
            <Select
              {...control}
              {...channel}
              onChange={(event) => {
                channel.onChange(event);
                // The address of another channel is not wrong before it is entered.
                void setFieldTouched('target', false, false);
              }}
            >
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
        <EmailField
          input={address}
          autoComplete={own ? 'email' : 'off'}
          channelError={channelError}
        />
      ) : (
        <UrlField key={values.channel} channel={values.channel} channelError={channelError} />
      )}
    </>
  );
}

/**
 * The props of an address, and its error. It starts with the focus, so leaving it empty is no error
 * before a submission.
 */
function useAddress(name: 'email' | 'target') {
  const { touched, errors, getFieldProps } = useFormikContext<SubscriptionValues>();
  const field = getFieldProps<string>(name);
  const onBlur = (event: FocusEvent) => field.value !== '' && field.onBlur(event);
  return [{ ...field, onBlur }, touched[name] && errors[name]] as const;
}

interface AddressProps {
  channelError: string | undefined;
}

interface EmailFieldProps extends AddressProps {
  input: RefObject<HTMLInputElement | null>;
  autoComplete: string;
}

function EmailField({ input, autoComplete, channelError }: EmailFieldProps) {
  const [field, error] = useAddress('email');
  return (
    <Field label="Email" required error={error ?? channelError}>
      {(control) => (
        <Input
          {...control}
          {...field}
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

function UrlField({ channel, channelError }: AddressProps & { channel: UrlChannel }) {
  const [field, error] = useAddress('target');
  const { help, placeholder } = sources[channel];
  return (
    <Field label="Webhook URL" required description={help} error={error ?? channelError}>
      {(control) => (
        <Input
          {...control}
          {...field}
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
