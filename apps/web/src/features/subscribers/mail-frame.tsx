interface MailFrameProps {
  /** Accessible name. */
  label: string;
  /** The mail as an HTML document. */
  html: string;
}

/**
 * A mail as its reader sees it. The server has escaped the texts of people in it, and neither the
 * sandbox nor the policy of the page, which its frames inherit, allows scripts. This page sets the
 * styles, so the frame has its origin.
 */
export function MailFrame({ label, html }: MailFrameProps) {
  return (
    <iframe
      title={label}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcDoc={withoutInlineStyles(html)}
      onLoad={({ currentTarget }) => applyStyles(currentTarget.contentDocument)}
      className="h-96 w-full rounded-md border border-line bg-canvas"
    />
  );
}

/**
 * The policy forbids inline styles, too. Those of elements are kept in another attribute. The style
 * sheet is left out: it has the colours of a dark screen. Links open a window of their own.
 */
function withoutInlineStyles(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(' style="', ' data-style="')
    .replace('<head>', '<head><base target="_blank">');
}

/** Sets the kept styles: the policy allows it to the scripts of the page. */
function applyStyles(mail: Document | null): void {
  for (const element of mail?.querySelectorAll<HTMLElement>('[data-style]') ?? []) {
    element.style.cssText = element.dataset.style ?? '';
  }
}
