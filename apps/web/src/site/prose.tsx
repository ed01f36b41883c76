import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { cn } from '@/ui/cn';
import { copiedForMs, selectText, writeText } from '@/ui/copy-text';
import { isScreenPath } from './screen-path';
import './prose.css';

interface ProseProps {
  /** HTML of Markdown, which the build has rendered or the server has sanitised. */
  html: string;
  className?: string;
}

/** Rendered Markdown. Its links to screens navigate within the app, and its code can be copied. */
export function Prose({ html, className }: ProseProps) {
  const text = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();

  useEffect(() => {
    const element = text.current;
    if (element === null) return;
    function follow(event: MouseEvent) {
      if (!(event.target instanceof Element)) return;
      const button = event.target.closest<HTMLElement>('[data-copy]');
      if (button !== null) void copy(button);
      const address = addressWithin(event, event.target.closest('a'));
      if (address === null) return;
      event.preventDefault();
      void navigate(address);
    }
    element.addEventListener('click', follow);
    return () => element.removeEventListener('click', follow);
  }, [navigate]);

  return (
    <div ref={text} className={cn('prose', className)} dangerouslySetInnerHTML={{ __html: html }} />
  );
}

/** Returns the target of a click on a link to a screen; null if the browser must handle it. */
function addressWithin(event: MouseEvent, link: HTMLAnchorElement | null): string | null {
  if (link?.origin !== window.location.origin || !isScreenPath(link.pathname)) return null;
  const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (event.button !== 0 || hasModifier) return null;
  if (link.target !== '' || link.hasAttribute('download')) return null;
  return link.pathname + link.search + link.hash;
}

async function copy(button: HTMLElement): Promise<void> {
  const code = button.closest('figure')?.querySelector('code');
  if (!code) return;
  // Otherwise a second press would change nothing that can be announced.
  button.textContent = 'Copy';
  const isCopied = await writeText(code.textContent);
  if (!isCopied) selectText(code);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => (button.textContent = 'Copy'), copiedForMs);
}
