import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { mailedLinks } from './mail';

const built = fileURLToPath(new URL('../../../target/debug/allclear', import.meta.url));
export const binary = process.env.ALLCLEAR_BINARY ?? built;

/** Environment variables of an installation, beyond those of a test. */
export type Settings = Readonly<Record<string, string>>;

/** The real server, on a port and a data folder of its own. */
export class Server {
  /** The address that people open. */
  readonly url: string;
  private readonly folder: string;
  private readonly settings: Settings;
  private process: ChildProcess;

  private constructor(folder: string, settings: Settings, { process, url }: Launched) {
    this.folder = folder;
    this.settings = settings;
    this.process = process;
    this.url = url;
  }

  static async start(settings: Settings = {}): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), 'allclear-e2e-'));
    return new Server(folder, settings, await launch(folder, 0, settings));
  }

  /** What a command of the same installation prints, run beside the server. */
  async run(...command: string[]): Promise<string> {
    const env = environment(this.folder, { ...this.settings, ALLCLEAR_PUBLIC_URL: this.url });
    const { stdout } = await promisify(execFile)(binary, command, { cwd: this.folder, env });
    return stdout.trim();
  }

  /** Ends the process as an operator would, and waits until it has gone. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await gone;
  }

  /** Comes back on the same port, with the same data. */
  async startAgain(): Promise<void> {
    const port = Number(new URL(this.url).port);
    ({ process: this.process } = await launch(this.folder, port, this.settings));
  }

  /** The link to a screen in the latest mail to an address, once it has come. */
  async mailedLink(to: string, screen = '/login'): Promise<string> {
    let link: string | undefined;
    const look = async () => {
      const links = await mailedLinks(join(this.folder, 'mail'), to);
      link = links.filter((each) => new URL(each).pathname === screen).at(-1);
      return link;
    };
    await expect.poll(look, { message: `a mail to ${to}` }).toBeDefined();
    return link ?? '';
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface Launched {
  process: ChildProcess;
  url: string;
}

/** Nobody waits in a test for a limit that is there for attackers. */
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

/** Answers when the server has said where it is to be opened. */
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
