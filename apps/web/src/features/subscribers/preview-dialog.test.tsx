import { fireEvent, screen } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import type { MessagePreview } from '@/api/types';
import { renderScreen } from '@/testing/render';
import { apiUrl, server, success } from '@/testing/server';
import { PreviewDialog } from './preview-dialog';

const mail: MessagePreview = {
  channel: 'email',
  subject: '[Acme] Down',
  body: 'Acme reports an incident.',
  html: '<html><head><style>p { color: red }\n</style></head><body><p style="color:red">Down</p></body></html>',
};
const slack: MessagePreview = {
  channel: 'slack',
  subject: null,
  body: '{\n  "text": "Down"\n}',
  html: null,
};

beforeEach(() => {
  server.use(
    http.get(apiUrl('/subscriber/preview'), ({ request }) => {
      const channel = new URL(request.url).searchParams.get('channel');
      return success(channel === 'email' ? mail : slack);
    }),
  );
});

const open = () =>
  renderScreen(<PreviewDialog open onOpenChange={() => undefined} returnTo={{ current: null }} />);

it('shows a mail first, in a frame without inline styles', async () => {
  open();
  const frame = await screen.findByTitle<HTMLIFrameElement>('Message for Email');
  expect(screen.getByText('[Acme] Down')).toBeVisible();
  expect(frame).toHaveAttribute(
    'sandbox',
    'allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  );
  expect(frame).toHaveAttribute(
    'srcdoc',
    '<html><head><base target="_blank"></head><body><p data-style="color:red">Down</p></body></html>',
  );
  const content = frame.contentDocument?.body ?? document.body;
  content.innerHTML = '<p data-style="color: red">Down</p>';
  fireEvent.load(frame);
  expect(content.querySelector('p')?.style.color).toBe('red');
});

it('shows the text of a mail', async () => {
  const { user } = open();
  await user.click(await screen.findByRole('tab', { name: 'Plain Text' }));
  const text = await screen.findByRole('region', { name: 'Message for Email' });
  expect(text).toHaveTextContent('Acme reports an incident.');
});

it('copies the message for a chat', async () => {
  const { user } = open();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Channel' }), 'Slack');
  const message = await screen.findByRole('region', { name: 'Message for Slack' });
  expect(message).toHaveTextContent('"text": "Down"');
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeInTheDocument();
  expect(await navigator.clipboard.readText()).toBe(slack.body);
});
