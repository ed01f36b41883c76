import { render, screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { isMailedLink, MailedLink } from './mailed-link';
import { endpoints, paths } from '@/paths';
import { apiUrl, server, success } from '@/testing/server';

it('knows the targets of links in mails', () => {
  expect(isMailedLink('/verify')).toBe(true);
  expect(isMailedLink('/unsubscribe/')).toBe(true);
  expect(isMailedLink('/')).toBe(false);
  expect(isMailedLink('/login')).toBe(false);
});

it('works without the configuration of the installation', async () => {
  const asked: string[] = [];
  server.use(
    http.post(apiUrl(endpoints.subscribers.unsubscribe), () => success({})),
    http.get(apiUrl(endpoints.status('org_1')), () =>
      success({ organisation: { pageTitle: 'Meridian Cloud' } }),
    ),
    http.all(apiUrl(endpoints.configuration), ({ request }) => {
      asked.push(request.url);
    }),
  );
  const query = 'email=ann%40example.com&orgId=org_1&unsubscribeCode=x';
  window.history.replaceState(null, '', `${paths.unsubscribe}?${query}`);
  render(<MailedLink />);
  expect(await screen.findByText('Successfully Unsubscribed')).toBeInTheDocument();
  expect(asked).toEqual([]);
});
