import { expect, it } from 'vitest';
import { settingsSchema } from './settings';

it('takes a support link that the server takes', async () => {
  const isTaken = (supportUrl: string) =>
    settingsSchema({ timeZone: 'Etc/UTC' })
      .validateAt('supportUrl', { supportUrl })
      .then(
        () => true,
        () => false,
      );
  const good = ['https://acme.example/help?a=b', 'mailto:help@acme.example'];
  expect(await Promise.all(good.map(isTaken))).toEqual([true, true]);
  const bad = [
    'https:///acme.example',
    'https://ann:pass@acme.example',
    'https://acme.example/"><script>',
    'https://acme.example/a b',
    'https://acme.example/a\\b',
    'mailto:"><script>@acme.example',
  ];
  expect(await Promise.all(bad.map(isTaken))).toEqual(bad.map(() => false));
});
