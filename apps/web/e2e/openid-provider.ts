import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Settings } from './server';

const program = fileURLToPath(new URL('openid-provider.mjs', import.meta.url));

/** A real OpenID Connect provider in a process of its own. */
export class OpenIdProvider {
  readonly #process: ChildProcess;
  readonly #issuer: string;

  private constructor(process: ChildProcess, issuer: string) {
    this.#process = process;
    this.#issuer = issuer;
  }

  /** Starts a provider for an installation at this address. */
  static async start(url: string): Promise<OpenIdProvider> {
    const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'ignore'] });
    const client = {
      id: 'allclear',
      secret: 'secret-of-the-client',
      redirectUri: `${url}/api/v1/identity/oidc/callback`,
      signedOutUri: `${url}/login`,
    };
    child.stdin.write(`${JSON.stringify({ clients: [client] })}\n`);
    const port = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the provider ended')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const listening = /^\{"listening":(\d+)\}$/.exec(line)?.[1];
        if (listening !== undefined) resolve(Number(listening));
      });
    });
    return new OpenIdProvider(child, `http://127.0.0.1:${port}`);
  }

  /** The settings of an installation that uses the provider. */
  settings(): Settings {
    return {
      ALLCLEAR_OIDC_PROVIDERS: 'example',
      ALLCLEAR_OIDC_EXAMPLE_ISSUER: this.#issuer,
      ALLCLEAR_OIDC_EXAMPLE_CLIENT_ID: 'allclear',
      ALLCLEAR_OIDC_EXAMPLE_CLIENT_SECRET: 'secret-of-the-client',
      ALLCLEAR_OIDC_EXAMPLE_DOMAINS: 'example.com',
      ALLCLEAR_OIDC_EXAMPLE_NAME: 'Example ID',
      ALLCLEAR_PASSWORDS: 'off',
    };
  }

  stop(): void {
    this.#process.kill();
  }
}
