import { useFormikContext } from 'formik';
import { useConfiguration } from '@/api/configuration';
import type { OrganisationSettings } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { Checkbox } from '@/ui/checkbox';
import { noMailServer } from '@/ui/no-mail-server';

export interface NotifyValues {
  /** The user's choice; absent while the default applies. */
  notify?: boolean;
}

interface Notify {
  /** Whether the organisation's default is being read. Until then the form cannot be submitted. */
  isLoading: boolean;
  /**
   * Returns what the checkbox shows, which is what the form sends: the user's choice, or the
   * organisation's default. The default for the past is false.
   */
  of: (values: NotifyValues, isBackfilled?: boolean) => boolean;
}

/**
 * Whether a change notifies subscribers. `stored` is the last choice for the item, which replaces
 * the organisation's default.
 */
export function useNotify(stored?: boolean): Notify {
  const { data, error } = useQuery<OrganisationSettings>(
    stored === undefined ? endpoints.organisationSettings : null,
  );
  // A message cannot be taken back: if the default cannot be read, the user decides.
  const byDefault = stored ?? data?.notifyByDefault ?? false;
  return {
    isLoading: stored === undefined && data === undefined && error === undefined,
    of: ({ notify }, isBackfilled = false) => notify ?? (!isBackfilled && byDefault),
  };
}

interface NotifyFieldProps {
  /** When messages are sent, which go to subscribers on all channels. */
  help: string;
  /** Whether the form is about the past, of which nobody is notified by default. */
  isBackfilled?: boolean;
  /** The last choice for the item, if it is stored. */
  stored?: boolean | undefined;
}

/** Inside a form: whether the change notifies subscribers. */
export function NotifyField({ help, isBackfilled = false, stored }: NotifyFieldProps) {
  const { values, setFieldValue } = useFormikContext<NotifyValues>();
  const notify = useNotify(stored);
  const { mailServer } = useConfiguration();
  const sentences = [
    isBackfilled && 'Off for the past by default.',
    help,
    !mailServer && noMailServer,
  ];
  return (
    <Checkbox
      label="Notify subscribers"
      description={sentences.filter(Boolean).join(' ')}
      name="notify"
      disabled={notify.isLoading}
      checked={notify.of(values, isBackfilled)}
      onChange={({ target: { checked } }) =>
        void setFieldValue('notify', checked === notify.of({}, isBackfilled) ? undefined : checked)
      }
    />
  );
}
