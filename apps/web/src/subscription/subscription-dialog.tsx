import type { FormikHelpers } from 'formik';
import type { ReactNode, RefObject } from 'react';
import { serverMessageOr } from '@/api/server-message';
import type { Channel, SubscriberInput } from '@/api/types';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import type { ScopeEntry } from './scope';
import { ScopeFields } from './scope-fields';
import {
  subscriptionInput,
  subscriptionSchema,
  subscriptionValues,
  type SubscriptionValues,
} from './subscription';
import { TargetFields } from './target-fields';

interface SubscriptionDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  submitLabel: string;
  pendingLabel: string;
  returnTo?: RefObject<HTMLElement | null>;
  /** The channels to choose from, at least one; the first is chosen. */
  channels: readonly [Channel, ...Channel[]];
  /** The components and groups to choose from; null if there is no choice. */
  entries: readonly ScopeEntry[] | null;
  /** Whether it is the visitor's own address, which the browser may fill in. */
  own?: boolean;
  /** Whether the focus starts on the address rather than on the channel; needs `returnTo`. */
  startsOnAddress?: boolean;
  /** Subscribes and shows the success; throws `ApiError`. */
  onSubscribe: (subscriber: SubscriberInput) => Promise<void>;
}

/** Asks for an address for updates: the visitor's own, or one that an operator adds. */
export function SubscriptionDialog({
  channels,
  entries,
  own = false,
  startsOnAddress = false,
  onSubscribe,
  ...dialog
}: SubscriptionDialogProps) {
  async function subscribe(values: SubscriptionValues, form: FormikHelpers<SubscriptionValues>) {
    try {
      await onSubscribe(subscriptionInput(values));
    } catch (error) {
      showFailure(form, error, serverMessageOr('Failed to create subscriber', error));
      return;
    }
    dialog.onOpenChange(false);
  }

  return (
    <FormDialog
      {...dialog}
      initialValues={subscriptionValues(channels[0])}
      validationSchema={subscriptionSchema}
      onSubmit={subscribe}
    >
      <TargetFields channels={channels} own={own} startsOnAddress={startsOnAddress} />
      {entries && <ScopeFields entries={entries} />}
    </FormDialog>
  );
}
