import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { mailedLinks, mailsTo } from './mail';

const built = fileURLToPath(new URL('../../../target/debug/allclear', import.meta.url));
export const binary = process.env.ALLCLEAR_BINARY ?? built;

/** Additional environment variables of an installation. */
export type Settings = Readonly<Record<string, string>>;

/** The real server with its own port and data folder. */
export class Server {
  /** The public URL. */
  readonly url: string;
  readonly #folder: string;
  #settings: Settings;
  #process: ChildProcess;

  private constructor(folder: string, settings: Settings, { process, url }: Launched) {
    this.#folder = folder;
    this.#settings = settings;
    this.#process = process;
    this.url = url;
  }

  static async start(settings: Settings = {}): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), 'allclear-e2e-'));
    return new Server(folder, settings, await launch(folder, 0, settings));
  }

  /** Runs a command of the same installation and returns its output. */
  async run(...command: string[]): Promise<string> {
    const env = environment(this.#folder, { ...this.#settings, ALLCLEAR_PUBLIC_URL: this.url });
    const { stdout } = await promisify(execFile)(binary, command, { cwd: this.#folder, env });
    return stdout.trim();
  }

  /** Sends SIGTERM and waits for the end of the process. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await gone;
  }

  /** Starts again with the same port and data, and with more settings. */
  async startAgain(settings: Settings = {}): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    const port = Number(new URL(this.url).port);
    ({ process: this.#process } = await launch(this.#folder, port, this.#settings));
  }

  /** Waits for a mail to an address and returns the latest link that begins with a path. */
  async mailedLink(to: string, screen = '/login'): Promise<string> {
    let link: string | undefined;
    const find = async () => {
      const links = await mailedLinks(join(this.#folder, 'mail'), to);
      const leads = ({ pathname, search }: URL) => `${pathname}${search}`.startsWith(screen);
      link = links.filter((each) => leads(new URL(each))).at(-1);
      return link;
    };
    await expect.poll(find, { message: `a mail to ${to}` }).toBeDefined();
    return link ?? '';
  }

  /** The subjects of the mails to an address, oldest first. */
  async mailedSubjects(to: string): Promise<string[]> {
    const mails = await mailsTo(join(this.#folder, 'mail'), to);
    return mails.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]?.trim() ?? '');
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Launched {
  process: ChildProcess;
  url: string;
}

/** Rate limits are high enough for tests. */
const unlimited = Object.fromEntries(
  ['SIGN_IN', 'SIGN_UP', 'GUESSES', 'RESET', 'SUBSCRIBE', 'VERIFY', 'INVITE'].map((name) => [
    `ALLCLEAR_LIMIT_${name}`,
    '1000/1000',
  ]),
);

function environment(folder: string, settings: Settings) {
  return {
    ...process.env,
    ...unlimited,
    ALLCLEAR_LIMIT_WRITES: '0',
    ALLCLEAR_LIMIT_ORGANISATIONS: '0',
    ALLCLEAR_LIMIT_MAIL_MAILBOX: '0',
    ALLCLEAR_LIMIT_MAIL_ACCOUNT: '0',
    ALLCLEAR_LIMIT_MAIL_ORGANISATION: '0',
    ALLCLEAR_LIMIT_MAIL_INSTALLATION: '0',
    ALLCLEAR_DATA_DIR: folder,
    ALLCLEAR_LOG: 'warn',
    ...settings,
  };
}

/** Starts the server and resolves when it has printed its URL. */
async function launch(folder: string, port: number, settings: Settings): Promise<Launched> {
  const child = spawn(binary, [], {
    cwd: folder,
    env: environment(folder, { ...settings, ALLCLEAR_LISTEN: `127.0.0.1:${port}` }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${binary} ended before it said where it listens`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^\s*Open\s+(http\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });
  return { process: child, url };
}
