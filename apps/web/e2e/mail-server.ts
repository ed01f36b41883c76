import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';

const program = fileURLToPath(
  new URL('../../../crates/mail/tests/smtp/server.mjs', import.meta.url),
);

/** A received mail. */
export interface ReceivedMail {
  to: string | string[];
  subject: string;
  text: string;
  html: string;
  headers: [name: string, value: string][];
}

/** A real mail server on a free port. */
export class MailServer {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #mails: ReceivedMail[];

  private constructor(process: ChildProcess, mails: ReceivedMail[], port: number) {
    this.#process = process;
    this.#mails = mails;
    this.url = `smtp://127.0.0.1:${port}`;
  }

  static async start(): Promise<MailServer> {
    const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.write('{}\n');
    const mails: ReceivedMail[] = [];
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line) as { listening?: number; mail?: ReceivedMail };
        if (message.listening) resolve(new MailServer(child, mails, message.listening));
        if (message.mail) mails.push(message.mail);
      });
    });
  }

  /** Waits for a number of mails to an address and returns them, oldest first. */
  async received(to: string, count: number): Promise<ReceivedMail[]> {
    const mails = () => this.#mails.filter((mail) => [mail.to].flat().includes(to));
    await expect.poll(() => mails().length, { message: `mails to ${to}` }).toBe(count);
    return mails();
  }

  /** The process ends with its standard input. */
  stop(): void {
    this.#process.stdin?.end();
  }
}

/** Returns a header's value; empty if it is missing. */
export function header(mail: ReceivedMail, name: string): string {
  return mail.headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? '';
}

/** Returns the link to a screen in a mail's text. */
export function linkIn(mail: ReceivedMail, screen: string): string {
  const links = mail.text.match(/https?:\/\/\S+/g) ?? [];
  return links.find((link) => new URL(link).pathname === screen) ?? '';
}
