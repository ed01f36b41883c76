import type { FormikHelpers } from 'formik';
import { anonymousApi } from '@/api/anonymous-api';
import type { Channel } from '@/api/types';
import type { PageState } from '@/features/status-page/page-state';
import { endpoints } from '@/paths';
import { channelNames } from '@/shared-features/subscription/channels';
import { scopeEntries, withoutDeleted } from '@/shared-features/subscription/scope';
import { ScopeFields } from '@/shared-features/subscription/scope-fields';
import {
  notCreated,
  subscriptionInput,
  subscriptionSchema,
  subscriptionValues,
  type SubscriptionValues,
} from '@/shared-features/subscription/subscription';
import { TargetFields } from '@/shared-features/subscription/target-fields';
import { FormDialog } from '@/ui/form-dialog';
import { showServerMessage } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import type { SubscribeRequest } from './subscribe-context';

export interface SubscribeDialogProps {
  state: PageState;
  request: SubscribeRequest;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function SubscribeDialog({ state, request, open, onOpenChange }: SubscribeDialogProps) {
  const { id: orgId, channels: offered } = state.organisation;
  const { incident } = request;
  const channels = channelsOf(request, offered);
  const entries = scopeEntries(state, state.order);

  async function subscribe(values: SubscriptionValues, form: FormikHelpers<SubscriptionValues>) {
    const subscriber = subscriptionInput(withoutDeleted(values, entries));
    try {
      const { message } = await anonymousApi.post(endpoints.subscribers.subscribe, {
        ...subscriber,
        ...(incident && { incidentId: incident.id }),
        orgId,
      });
      if (message) {
        toast.success(subscriber.channel ? <ChannelMessage message={message} /> : message);
      }
    } catch (error) {
      showServerMessage(form, error, notCreated);
      return;
    }
    onOpenChange(false);
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={incident ? 'Follow This Incident' : titleOf(channels)}
      description={
        incident
          ? `Each update of “${incident.title}” is sent to you, until a day after it is resolved. A first message asks you to confirm.`
          : descriptionOf(channels)
      }
      initialValues={subscriptionValues(channels[0])}
      validationSchema={subscriptionSchema}
      onSubmit={subscribe}
      submitLabel="Subscribe"
      pendingLabel="Subscribing..."
    >
      <TargetFields own channels={channels} />
      {!incident && <ScopeFields entries={entries} />}
    </FormDialog>
  );
}

type Channels = [Channel, ...Channel[]];

/** The channels to choose from. The main button is for mail, if it is offered. */
function channelsOf({ channel, incident }: SubscribeRequest, offered: Channel[]): Channels {
  if (channel) return [channel];
  if (!incident && offered.includes('email')) return ['email'];
  const [first = 'email', ...others] = offered;
  return [first, ...others];
}

function titleOf([channel, ...others]: Channels): string {
  return others.length > 0 ? 'Subscribe To Updates' : `Subscribe Via ${channelNames[channel]}`;
}

function descriptionOf([channel, ...others]: Channels): string {
  return channel === 'email' && others.length === 0
    ? 'Updates are sent by mail when something happens. A first mail asks you to confirm your address.'
    : 'Updates are sent there when something happens. A first message has a link to confirm it.';
}

function ChannelMessage({ message }: { message: string }) {
  return (
    <>
      <p>{message}</p>
      <p className="text-sm text-muted">Open the link in it to confirm the subscription.</p>
    </>
  );
}
