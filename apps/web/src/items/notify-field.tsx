import { useFormikContext } from 'formik';
import type { OrganisationSettings } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { Checkbox } from '@/ui/checkbox';

export interface NotifyValues {
  /** The user's choice; absent while the default applies. */
  notify?: boolean;
}

/**
 * Returns what the checkbox shows, which is what a form sends: the user's choice, or the organisation's default. The default
 * for the past is false. Undefined until the default is known.
 */
export function useNotify() {
  const { data, error } = useQuery<OrganisationSettings>(endpoints.organisationSettings);
  // A message cannot be taken back: if the default cannot be read, the user decides.
  const byDefault = data?.notifyByDefault ?? (error && false);
  return ({ notify }: NotifyValues, isPast = false): boolean | undefined =>
    notify ?? (isPast ? false : byDefault);
}

interface NotifyFieldProps {
  /** When messages are sent, which go to subscribers on all channels. */
  help: string;
  /** Whether the form is about the past, of which nobody is notified by default. */
  isPast?: boolean;
}

/** Inside a form: whether the change notifies subscribers. */
export function NotifyField({ help, isPast = false }: NotifyFieldProps) {
  const { values, setFieldValue } = useFormikContext<NotifyValues>();
  const notify = useNotify();
  const shown = notify(values, isPast);
  return (
    <Checkbox
      label="Notify subscribers"
      description={isPast ? `Off for the past by default. ${help}` : help}
      name="notify"
      disabled={shown === undefined}
      checked={shown ?? false}
      onChange={({ target: { checked } }) =>
        void setFieldValue('notify', checked === notify({}, isPast) ? undefined : checked)
      }
    />
  );
}
