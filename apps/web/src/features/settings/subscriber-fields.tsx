import { useFormikContext } from 'formik';
import { useConfiguration } from '@/api/configuration';
import { allChannels, channelNames } from '@/shared-features/subscription/channels';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { MailNotice } from '@/ui/mail-notice';
import type { SettingsValues } from './settings';

/** Inside the form: the channels of visitors, and reminders of operators. */
export function SubscriberFields() {
  const { identityProvider } = useConfiguration();
  const { values, getFieldProps } = useFormikContext<SettingsValues>();
  return (
    <>
      <fieldset className="grid min-w-0 gap-2">
        <legend className="mb-1.5 text-sm font-medium text-ink">Visitors may subscribe by</legend>
        {allChannels.map((channel) => (
          <Checkbox
            key={channel}
            label={channelNames[channel]}
            {...getFieldProps(`publicChannels.${channel}`)}
            checked={values.publicChannels[channel]}
          />
        ))}
        <p className="text-sm text-muted">
          Operators can add subscribers by every channel. Existing subscribers stay.
        </p>
      </fieldset>
      {identityProvider === 'built-in' && <ReminderFields />}
    </>
  );
}

/**
 * Only for built-in sign-in: with an external identity provider, the addresses of the members are
 * not known.
 */
function ReminderFields() {
  const { values, errors, touched, getFieldProps } = useFormikContext<SettingsValues>();
  return (
    <>
      <Checkbox
        label="Remind operators of open incidents"
        description="By mail, when an incident has had no update for some hours."
        {...getFieldProps('hasReminders')}
        checked={values.hasReminders}
      />
      {values.hasReminders && <MailNotice />}
      {values.hasReminders && (
        <Field
          label="Hours without an update"
          required
          className="sm:w-56"
          error={touched.reminderHours && errors.reminderHours}
        >
          {(control) => (
            <Input
              {...control}
              {...getFieldProps('reminderHours')}
              type="number"
              min={1}
              max={720}
              step={1}
            />
          )}
        </Field>
      )}
    </>
  );
}
