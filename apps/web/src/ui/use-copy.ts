import { useEffect, useState } from 'react';
import { copiedForMs, writeText } from './copy-text';

interface Copying {
  /**
   * For two seconds after the text was copied true, and false if the browser forbade the last copy;
   * otherwise undefined.
   */
  isCopied: boolean | undefined;
  /** Copies the text; false if the browser forbids it, as on pages without TLS. */
  copy: () => Promise<boolean>;
}

interface Outcome {
  text: string;
  isCopied: boolean;
}

/** Copies a text, which is empty while it is not known, and says for a moment that it has. */
export function useCopy(text: string): Copying {
  const [outcome, setOutcome] = useState<Outcome>();

  useEffect(() => {
    if (!outcome?.isCopied) return;
    const timer = setTimeout(() => setOutcome(undefined), copiedForMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    // Otherwise a second press would change nothing that can be announced.
    setOutcome(undefined);
    const isCopied = await writeText(text);
    setOutcome({ text, isCopied });
    return isCopied;
  }

  return { isCopied: outcome?.text === text ? outcome.isCopied : undefined, copy };
}
