import { request as httpRequest } from 'node:http';
import { expect, test } from '@playwright/test';
import { Demo } from './demo';

/** Bytes of a page as it is sent. */
function bytesOf(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': encoding };
    const request = httpRequest(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.on('end', () => resolve(bytes));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}

test('the status page of the demo has at most 30 KB, and 8 KB compressed', async () => {
  const demo = await Demo.start();
  try {
    const url = demo.url + demo.statusPage;
    expect(await bytesOf(url, 'identity')).toBeLessThanOrEqual(30_000);
    expect(await bytesOf(url, 'gzip')).toBeLessThanOrEqual(8_000);
  } finally {
    await demo.stop();
  }
});
