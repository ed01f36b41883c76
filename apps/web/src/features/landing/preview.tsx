import { Check, Copy } from 'lucide-react';
import { useRef } from 'react';
import { StartLink } from '@/auth/start-link';
import { anchors } from '@/site/entries';
import { selectText } from '@/ui/copy-text';
import { IconButton } from '@/ui/icon-button';
import { useCopy } from '@/ui/use-copy';
import { ProductShot } from './product-shot';
import { Section } from './section';

/** Offers a preview: by a command or by an account. */
export function Preview() {
  return (
    <Section
      id={anchors.requestPreview}
      title="Request preview"
      lead="One command starts a server with example data in a temporary folder."
    >
      <div className="flex flex-wrap items-center gap-3">
        <Command text="./just demo" />
        <StartLink size="lg">Create an account</StartLink>
      </div>
      <div className="grid gap-8 lg:grid-cols-2">
        <Picture
          name="edit-incident"
          alt="The form of an incident with its status, and below it the updates recorded so far"
          caption="One screen for the whole incident"
        >
          Title, status, components and every update in one place. An edit somebody else made in the
          meantime is shown to you, never overwritten.
        </Picture>
        <Picture
          name="components"
          alt="The list of components with the status of each, two of them not operational"
          caption="What your users depend on"
        >
          Components take the worst status of the open incidents that affect them, and recover with
          them. A status that you set by hand stays until an incident changes it.
        </Picture>
      </div>
    </Section>
  );
}

interface PictureProps {
  name: 'edit-incident' | 'components';
  alt: string;
  caption: string;
  children: string;
}

function Picture({ name, alt, caption, children }: PictureProps) {
  return (
    <figure className="grid grid-cols-1 content-start gap-4">
      <ProductShot name={name} alt={alt} />
      <figcaption className="grid gap-1">
        <span className="text-lg font-semibold text-ink">{caption}</span>
        <span className="text-pretty text-muted">{children}</span>
      </figcaption>
    </figure>
  );
}

/** A command for the shell, with a button to copy it. */
function Command({ text }: { text: string }) {
  const shown = useRef<HTMLSpanElement>(null);
  const { isCopied, copy } = useCopy(text);

  async function press() {
    if (!(await copy()) && shown.current) selectText(shown.current);
  }

  return (
    <div className="flex h-10 items-center gap-3 rounded-md border border-line bg-surface pr-1 pl-4 pointer-coarse:h-12">
      <code className="font-mono text-ink">
        <span aria-hidden className="text-subtle select-none">
          ${' '}
        </span>
        <span ref={shown}>{text}</span>
      </code>
      <IconButton
        label={isCopied === undefined ? 'Copy the command' : isCopied ? 'Copied' : 'Press Ctrl+C'}
        icon={isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
        onClick={() => void press()}
      />
    </div>
  );
}
