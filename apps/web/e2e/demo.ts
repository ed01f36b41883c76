import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@playwright/test';
import { binary } from './server';

/** `allclear demo`: a filled organisation in a temporary folder. */
export class Demo {
  readonly url: string;
  /** Path of the organisation's status page. */
  readonly statusPage: string;
  readonly email: string;
  readonly password: string;
  readonly #process: ChildProcess;
  #log = '';

  private constructor(process: ChildProcess, said: string) {
    const [, statusPage = ''] = /Public\s+(\S+)/.exec(said) ?? [];
    const [, url = '', email = '', password = ''] =
      /Sign in\s+(\S+)\/login\s+(\S+)\s+(\S+)/.exec(said) ?? [];
    this.#process = process;
    process.stderr?.on('data', (piece) => {
      this.#log += String(piece);
    });
    this.url = url;
    this.statusPage = statusPage.slice(url.length);
    this.email = email;
    this.password = password;
  }

  static async start(): Promise<Demo> {
    const child = spawn(binary, ['demo'], {
      env: {
        ...process.env,
        ALLCLEAR_LISTEN: '127.0.0.1:0',
        ALLCLEAR_LOG: 'warn,allclear_mail=info',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for await (const piece of child.stdout) {
      said += String(piece);
      if (said.includes('Stop')) return new Demo(child, said);
    }
    throw new Error(`${binary} demo ended before it said where it listens`);
  }

  /** Returns the link in the latest mail to an address, from the log. */
  async mailedLink(to: string): Promise<string> {
    let link: string | undefined;
    const search = () => {
      const line = this.#log.split('\n').findLast((each) => each.includes(`to="${to}"`));
      link = line === undefined ? undefined : /https?:\/\/[^\s"]+/.exec(line)?.[0];
      return link;
    };
    await expect.poll(search, { message: `a mail to ${to}` }).toBeDefined();
    return link ?? '';
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await gone;
  }
}
