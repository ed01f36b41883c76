import { Check, Copy } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import type { Channel, MessagePreview } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { allChannels, channelNames } from '@/shared-features/subscription/channels';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { selectText } from '@/ui/copy-text';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { LoadFailure } from '@/ui/load-failure';
import { ScrollRegion } from '@/ui/scroll-region';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import { Tabs } from '@/ui/tabs';
import { useCopy } from '@/ui/use-copy';
import { MailFrame } from './mail-frame';

interface PreviewDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  returnTo: RefObject<HTMLElement | null>;
}

/** Shows a sample message of each channel, as it is sent. */
export function PreviewDialog(dialog: PreviewDialogProps) {
  const [channel, setChannel] = useState<Channel>('email');
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
            {allChannels.map((each) => (
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
  const label = `Message for ${channelNames[channel]}`;
  const text = <MessageText key={channel} label={label} text={data.body} />;
  if (data.html === null) return text;
  return (
    <>
      <p className="wrap-anywhere text-ink">
        <span className="text-muted">Subject: </span>
        <bdi>{data.subject}</bdi>
      </p>
      <Tabs
        label="Parts of the mail"
        tabs={[
          {
            value: 'html',
            label: 'Mail',
            content: <MailFrame label={label} html={data.html} />,
          },
          { value: 'text', label: 'Plain Text', content: text },
        ]}
      />
    </>
  );
}

interface MessageTextProps {
  /** Accessible name. */
  label: string;
  text: string;
}

/** The text of a message, with a button that copies it. */
function MessageText({ label, text }: MessageTextProps) {
  const content = useRef<HTMLPreElement>(null);
  const { isCopied, copy } = useCopy(text);

  async function press() {
    if (!(await copy()) && content.current) selectText(content.current);
  }

  return (
    <div className="grid min-w-0 gap-2">
      <ScrollRegion label={label} className="max-h-96 bg-canvas">
        <pre ref={content} className="font-mono text-xs text-ink">
          {text}
        </pre>
      </ScrollRegion>
      {isCopied === false && (
        <Alert kind="error">
          The browser does not allow the copy. The message is selected: press Ctrl+C or ⌘C.
        </Alert>
      )}
      <Button size="sm" className="justify-self-end" onClick={() => void press()}>
        {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
