import { Formik, type FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { useConfiguration } from '@/api/configuration';
import type { OrganisationSettings } from '@/api/types';
import { useAuth } from '@/auth/auth';
import { LiveUpdate } from '@/items/live-update';
import type { Edit } from '@/items/use-edit';
import { endpoints } from '@/paths';
import { allChannels, channelNames } from '@/shared-features/subscription/channels';
import { Form } from '@/ui/form';
import { FormFailure, showFailure } from '@/ui/form-failure';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { ReadOnlyContext } from '@/ui/read-only';
import { toast } from '@/ui/toast';
import { SaveBar } from './save-bar';
import { settingsInput, settingsSchema, settingsValues, type SettingsValues } from './settings';
import { SettingsFields } from './settings-fields';

interface SettingsFormProps {
  edit: Edit<OrganisationSettings>;
  loaded: OrganisationSettings;
  isAdmin: boolean;
}

/** The form of the settings; read-only for others than admins. */
export function SettingsForm({ edit, loaded, isAdmin }: SettingsFormProps) {
  const { identityProvider } = useConfiguration();
  const { refresh } = useAuth();
  const api = useApi();
  const before = settingsValues(loaded);

  async function save(values: SettingsValues, form: FormikHelpers<SettingsValues>) {
    try {
      const input = settingsInput(values, before);
      const saved = await edit.write((on) => api.patch(endpoints.organisationSettings, input, on));
      form.resetForm({ values: settingsValues(saved) });
    } catch (error) {
      showFailure(form, error, 'The settings were not saved');
      return;
    }
    toast.success('Settings saved');
    // The organisation's name is also that of the session.
    if (values.name !== before.name) await refresh();
  }

  return (
    <Formik
      initialValues={before}
      validationSchema={settingsSchema(before)}
      onSubmit={save}
      validateOnBlur={false}
    >
      {/* No grid: what sticks would stay in its row. */}
      <Form className="flex min-w-0 flex-col gap-4">
        <ReadOnlyContext value={!isAdmin}>
          <SettingsFields nameElsewhere={identityProvider !== 'built-in'} />
        </ReadOnlyContext>
        <LiveUpdate
          edit={edit}
          loaded={loaded}
          event="organisation-updated"
          noun="organisation"
          valuesOf={settingsValues}
          describe={(remote) => ({
            name: { label: 'Name', value: remote.name },
            timeZone: { label: 'Time zone', value: remote.timeZone },
            notifyByDefault: {
              label: 'Notify subscribers by default',
              value: remote.notifyByDefault ? 'Yes' : 'No',
            },
            pageTitle: { label: 'Page title', value: remote.pageTitle || 'The name' },
            pageDescription: {
              label: 'Page description',
              value: remote.pageDescription || 'Empty',
            },
            supportUrl: { label: 'Support link', value: remote.supportUrl || 'Empty' },
            publicChannels: {
              label: 'Channels for visitors',
              value: channelsText(remote.publicChannels),
            },
            hasReminders: {
              label: 'Remind operators of open incidents',
              value: remote.hasReminders ? 'Yes' : 'No',
            },
            reminderHours: {
              label: 'Hours without an update',
              value: String(remote.reminderHours),
            },
          })}
        />
        <FormFailure />
        {isAdmin && <SaveBar />}
        <FormLeaveGuard />
      </Form>
    </Formik>
  );
}

function channelsText(channels: SettingsValues['publicChannels']): string {
  const offered = allChannels.filter((channel) => channels[channel]);
  return offered.map((channel) => channelNames[channel]).join(', ') || 'None';
}
