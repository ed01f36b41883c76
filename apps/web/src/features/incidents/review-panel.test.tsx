import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Review } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen, signedInAs } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { anIncident } from './fixtures';
import type { Incident } from './incident';
import { reviewTemplate } from './review';
import { ReviewPanel } from './review-panel';

const calls = endpoints.incidents.review('incident-1');
const resolved = anIncident({ status: 'RESOLVED', resolvedAt: '2026-11-21T15:00:00.000Z' });

const draft: Review = {
  body: 'A bad deploy.',
  html: '<p>A bad deploy.</p>',
  status: 'DRAFT',
  publishedAt: null,
  createdAt: '2026-11-22T09:00:00.000Z',
  updatedAt: '2026-11-22T09:00:00.000Z',
};
const published: Review = {
  ...draft,
  status: 'PUBLISHED',
  publishedAt: '2026-11-22T10:00:00.000Z',
};

/** A server that stores a review as the product does, and records what it accepts. */
class Reviews {
  review: Review | null;
  version = 1;
  sent: unknown[] = [];

  constructor(review: Review | null) {
    this.review = review;
    this.version = review ? 1 : 0;
    const write = async (request: Request, change: (body: unknown) => Review | null) => {
      const body: unknown = request.method === 'DELETE' ? null : await request.json();
      if (request.headers.get('If-Match') !== `"${this.version}"`) {
        return problem(412, 'Somebody else has changed it');
      }
      this.sent.push([request.method, body]);
      this.change(change(body));
      return success(this.review ?? { id: 'incident-1' }, { etag: `"${this.version}"` });
    };
    server.use(
      http.get(apiUrl(calls.item), () =>
        this.review
          ? success(this.review, { etag: `"${this.version}"` })
          : problem(404, 'There is no such review'),
      ),
      http.put(apiUrl(calls.item), ({ request }) =>
        write(request, (body) => ({ ...(this.review ?? draft), ...(body as { body: string }) })),
      ),
      http.post(apiUrl(calls.publish), ({ request }) =>
        write(request, () => ({ ...(this.review ?? draft), ...publication })),
      ),
      http.delete(apiUrl(calls.item), ({ request }) => write(request, () => null)),
    );
  }

  change(review: Review | null): void {
    this.review = review;
    this.version += 1;
  }
}

const publication = { status: published.status, publishedAt: published.publishedAt };

async function open(review: Review | null, incident: Incident = resolved) {
  const reviews = new Reviews(review);
  const rendered = renderScreen(<ReviewPanel incident={incident} />);
  await screen.findByRole('textbox', { name: /^Review/ });
  return { ...rendered, reviews };
}

const text = () => screen.getByRole('textbox', { name: /^Review/ });
const button = (name: string) => screen.getByRole('button', { name });
const write = (body: string) => fireEvent.change(text(), { target: { value: body } });

it('offers a template for the first review, and saves it as a draft', async () => {
  const { user, reviews } = await open(null);
  expect(button('Publish')).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Delete Review' })).not.toBeInTheDocument();
  await user.click(button('Start from a Template'));
  expect(text()).toHaveValue('## What happened\n\n## Impact\n\n## Root cause\n\n## What we do\n');
  expect(text()).toHaveAccessibleDescription(/58 of 50,000 characters/);
  expect(text()).toHaveFocus();
  await user.keyboard('A bad deploy.');
  expect(text()).toHaveDisplayValue(/^## What happened\nA bad deploy\.\n## Impact\n/);
  write('A bad deploy.');
  button('Save Draft').focus();
  await user.keyboard('{Enter}');
  expect(await screen.findByText('Review saved')).toBeInTheDocument();
  expect(screen.getByText('Draft')).toBeInTheDocument();
  expect(button('Save Draft')).toHaveAttribute('aria-disabled', 'true');
  expect(button('Save Draft')).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(reviews.sent).toEqual([['PUT', { body: 'A bad deploy.' }]]);
});

it('requires a text of at most 50,000 characters', async () => {
  const { user } = await open(null);
  await user.click(button('Save Draft'));
  expect(await screen.findByText('Review is required')).toBeInTheDocument();
  expect(text()).toHaveFocus();
  write('é'.repeat(50_001));
  expect(await screen.findByText('Must be at most 50000 characters')).toBeInTheDocument();
  expect(button('Preview')).toBeDisabled();
});

it('shows the text as the server renders it', async () => {
  const { user } = await open(draft);
  server.use(
    http.post(apiUrl(calls.preview), async ({ request }) => {
      const { body } = (await request.json()) as { body: string };
      return success({ html: `<h2>Rendered</h2><p>${body}</p>` });
    }),
  );
  write('Why');
  await user.click(button('Preview'));
  const preview = screen.getByRole('region', { name: 'Preview' });
  expect(await within(preview).findByRole('heading', { name: 'Rendered' })).toBeInTheDocument();
  expect(preview).toHaveTextContent('Why');
  await user.click(button('Write'));
  expect(text()).toHaveValue('Why');
});

it('publishes no review of an incident that goes on', async () => {
  await open(draft, anIncident());
  expect(button('Publish')).toBeDisabled();
  expect(
    screen.getByText('A review can be published once the incident is resolved.'),
  ).toBeInTheDocument();
});

it.each([
  ['', false],
  [reviewTemplate, false],
  ['# Summary\n \n###### Why', false],
  [`${reviewTemplate}Tests.`, true],
  ['#1 of the causes', true],
])('publishes no review of headings only: %j', async (body, isPublishable) => {
  await open(draft);
  write(body);
  const reason = 'A review can be published once it has text, not only headings.';
  if (isPublishable) {
    expect(button('Publish')).toBeEnabled();
    expect(screen.queryByText(reason)).not.toBeInTheDocument();
  } else {
    expect(button('Publish')).toBeDisabled();
    expect(screen.getByText(reason)).toBeInTheDocument();
  }
});

it('saves and publishes a text, with a mail unless that is switched off', async () => {
  const { user, reviews } = await open(draft);
  write('Why');
  await user.click(button('Publish'));
  const dialog = within(screen.getByRole('dialog', { name: 'Publish Review' }));
  const notify = dialog.getByRole('checkbox', { name: 'Notify subscribers' });
  await waitFor(() => expect(notify).toBeChecked());
  await user.click(notify);
  await user.click(dialog.getByRole('button', { name: 'Publish' }));
  expect(await screen.findByText('Review published')).toBeInTheDocument();
  expect(reviews.sent).toEqual([
    ['PUT', { body: 'Why' }],
    ['POST', { notify: false }],
  ]);
  expect(await screen.findByText('Published')).toBeInTheDocument();
  expect(screen.getByText('Nov 22, 2026 11:00:00 AM')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Public page of the incident' })).toHaveAttribute(
    'href',
    '/status/org-1/incidents/0123456789ab',
  );
  expect(screen.queryByRole('button', { name: 'Publish' })).not.toBeInTheDocument();
  expect(button('Update Review')).toHaveAttribute('aria-disabled', 'true');
});

it('says why a review is not published, and keeps the text that was saved before', async () => {
  const { user, reviews } = await open(draft);
  server.use(
    http.post(apiUrl(calls.publish), () => problem(409, 'This incident is not resolved yet')),
  );
  write('Why');
  await user.click(button('Publish'));
  const dialog = within(screen.getByRole('dialog', { name: 'Publish Review' }));
  await user.click(dialog.getByRole('button', { name: 'Publish' }));
  expect(await dialog.findByText('This incident is not resolved yet')).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(text()).toHaveValue('Why');
  write('Why not');
  await user.click(button('Save Draft'));
  expect(await screen.findByText('Review saved')).toBeInTheDocument();
  expect(reviews.review?.body).toBe('Why not');
});

it('says why a review is not published before the review has been read again', async () => {
  const { user } = await open(draft);
  server.use(
    http.get(apiUrl(calls.item), () => new Promise<never>(() => undefined)),
    http.post(apiUrl(calls.publish), () => problem(409, 'This incident is not resolved yet')),
  );
  await user.click(button('Publish'));
  const dialog = within(screen.getByRole('dialog', { name: 'Publish Review' }));
  await user.click(dialog.getByRole('button', { name: 'Publish' }));
  expect(await dialog.findByText('This incident is not resolved yet')).toBeInTheDocument();
});

it('deletes a review after asking', async () => {
  const { user, reviews } = await open(published);
  await user.click(button('Delete Review'));
  const question = within(screen.getByRole('alertdialog', { name: 'Delete this review?' }));
  await user.click(question.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Review deleted')).toBeInTheDocument();
  expect(reviews.sent).toEqual([['DELETE', null]]);
  expect(text()).toHaveValue('');
  expect(button('Start from a Template')).toBeEnabled();
});

it('shows another user’s text, and saves on top of it', async () => {
  const { user, reviews } = await open(draft);
  write('Mine');
  reviews.change({ ...draft, body: 'Theirs' });
  await user.click(button('Save Draft'));
  const conflict = await screen.findByText(/This review has changed/);
  expect(conflict.closest('[role=alert]')).toHaveTextContent('Theirs');
  await user.click(button('Keep Mine'));
  await user.click(button('Save Draft'));
  expect(await screen.findByText('Review saved')).toBeInTheDocument();
  expect(reviews.review?.body).toBe('Mine');
});

it('publishes no other text than its user has seen', async () => {
  const { user, reviews } = await open(draft);
  reviews.change({ ...draft, body: 'Theirs' });
  await user.click(button('Publish'));
  const dialog = screen.getByRole('dialog', { name: 'Publish Review' });
  await user.click(within(dialog).getByRole('button', { name: 'Publish' }));
  expect(await screen.findByText(/^Nothing has been saved. The form now shows/)).toBeVisible();
  expect(dialog).not.toBeInTheDocument();
  expect(text()).toHaveValue('Theirs');
  expect(reviews.sent).toEqual([]);
});

it('can be previewed after a save, also if its text was missing when another one arrived', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { user, reviews } = await open(draft);
  write('');
  await user.click(button('Save Draft'));
  expect(await screen.findByText('Review is required')).toBeInTheDocument();
  reviews.change({ ...draft, body: 'Theirs' });
  act(() => {
    vi.advanceTimersByTime(15_000);
  });
  vi.useRealTimers();
  await user.click(await screen.findByRole('button', { name: 'Keep Mine' }));
  write('Mine');
  await user.click(button('Save Draft'));
  expect(await screen.findByText('Review saved')).toBeInTheDocument();
  expect(button('Preview')).toBeEnabled();
});

it('follows another user’s draft while nothing is typed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { reviews } = await open(draft);
  reviews.change({ ...draft, body: 'Theirs' });
  act(() => {
    vi.advanceTimersByTime(15_000);
  });
  vi.useRealTimers();
  await waitFor(() => expect(text()).toHaveValue('Theirs'));
});

it('shows viewers another user’s draft, its deletion, and no conflict', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const reviews = new Reviews(draft);
  const poll = () =>
    act(() => {
      vi.advanceTimersByTime(15_000);
    });
  renderScreen(<ReviewPanel incident={resolved} />, { auth: signedInAs('viewer') });
  expect(await screen.findByText('A bad deploy.')).toBeInTheDocument();
  reviews.change({ ...draft, html: '<p>Theirs</p>' });
  poll();
  expect(await screen.findByText('Theirs')).toBeInTheDocument();
  reviews.change(null);
  poll();
  vi.useRealTimers();
  expect(await screen.findByText('This incident has no review yet.')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('keeps the typed text when the user loses the right to write', async () => {
  const { become } = await open(null);
  write('A long review');
  become(signedInAs('viewer'));
  expect(text()).toHaveValue('A long review');
});

it('says when the review could not be fetched, and fetches it again', async () => {
  server.use(http.get(apiUrl(calls.item), () => problem(403, 'No')));
  const { user } = renderScreen(<ReviewPanel incident={resolved} />);
  expect(await screen.findByText('The review could not be loaded')).toBeInTheDocument();
  new Reviews(draft);
  await user.click(button('Try Again'));
  await waitFor(() => expect(text()).toHaveValue('A bad deploy.'));
});
