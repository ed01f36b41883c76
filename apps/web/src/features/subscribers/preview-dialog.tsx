import { useState, type RefObject } from 'react';
import type { Channel, MessagePreview } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { allChannels, channelNames } from '@/shared-features/subscription/channels';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { LoadFailure } from '@/ui/load-failure';
import { ScrollRegion } from '@/ui/scroll-region';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';

interface PreviewDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Shows a sample message of each channel but mail, as it is sent. */
export function PreviewDialog(dialog: PreviewDialogProps) {
  const [channel, setChannel] = useState<Channel>('webhook');
  return (
    <Dialog
      {...dialog}
      title="Message Previews"
      description="A sample of what is sent when an incident is updated."
      className="max-w-2xl!"
    >
      <Field label="Channel">
        {(control) => (
          <Select
            {...control}
            value={channel}
            onChange={({ target }) => setChannel(target.value as Channel)}
          >
            {allChannels
              .filter((each) => each !== 'email')
              .map((each) => (
                <option key={each} value={each}>
                  {channelNames[each]}
                </option>
              ))}
          </Select>
        )}
      </Field>
      <Preview channel={channel} />
    </Dialog>
  );
}

function Preview({ channel }: { channel: Channel }) {
  const { data, error, refresh } = useQuery<MessagePreview>(endpoints.subscribers.preview(channel));
  if (error && !data) {
    return (
      <LoadFailure
        title="The preview could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    );
  }
  if (!data) return <Skeleton className="h-72" />;
  return (
    <ScrollRegion label={`Message for ${channelNames[channel]}`} className="max-h-96 bg-canvas">
      <pre className="font-mono text-xs text-ink">{data.body}</pre>
    </ScrollRegion>
  );
}
