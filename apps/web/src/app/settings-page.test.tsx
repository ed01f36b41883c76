import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import { aComponent, aSnapshot } from '@/features/status-page/fixtures';
import { renderApp, signedIn } from './testing';
import { endpoints, paths } from '@/paths';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, problem, server, settings, success } from '@/testing/server';
import { hasUnsavedChanges } from '@/ui/unsaved-changes';

type Settings = typeof settings;

/** Serves settings, which a PATCH changes only on top of the newest version. */
function serve() {
  const state = { settings: { ...settings }, version: 1, sent: [] as Partial<Settings>[] };
  const respond = () => success(state.settings, { etag: `"${state.version}"` });
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), respond),
    http.patch(apiUrl(endpoints.organisationSettings), async ({ request }) => {
      if (request.headers.get('If-Match') !== `"${state.version}"`) return problem(412, 'Stale');
      const body = (await request.json()) as Partial<Settings>;
      state.sent.push(body);
      change(body);
      return respond();
    }),
  );
  function change(more: Partial<Settings>) {
    state.settings = { ...state.settings, ...more };
    state.version += 1;
  }
  return { state, change };
}

/** The public page, which the integrations are about. */
const snapshot = aSnapshot({
  components: [aComponent({ name: 'Website', uptime: { percentage: 99.9, days: [] } })],
});

beforeEach(() => {
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(snapshot)));
});

const field = (name: string) => screen.findByRole('textbox', { name });
const save = () => screen.getByRole('button', { name: 'Save' });

it('shows the settings in sections, and sends what was changed', async () => {
  const { state } = serve();
  const { user } = renderApp(paths.settings);
  const title = await field('Page title');
  expect(screen.getAllByRole('heading', { level: 2 }).map((it) => it.textContent)).toEqual([
    'General',
    'Page',
    'Subscribers',
    'Domain',
    'Integrations',
    'People',
    'API keys',
    'Audit log',
  ]);
  const guides = screen.getAllByRole('link', { name: 'Guide' });
  const guide = guides.find((link) => link.getAttribute('href') === paths.guide('automate'));
  expect(guide).toHaveAccessibleDescription('About API keys');
  expect(screen.getByRole('link', { name: 'Open Organisation' })).toHaveAttribute(
    'href',
    paths.organisation,
  );
  await user.type(title, 'Status of everything');
  const zone = screen.getByRole('combobox', { name: /Time zone/ });
  expect(zone).toHaveAccessibleDescription(
    /^Days, uptime and the history .* The live status page shows the visitor's local time\./,
  );
  await user.clear(zone);
  await user.type(zone, 'Europe/Zurich');
  await user.click(screen.getByRole('checkbox', { name: 'Notify subscribers by default' }));
  await user.click(save());
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  await user.type(title, '!');
  await user.click(save());
  await expect
    .poll(() => state.sent)
    .toEqual([
      { pageTitle: 'Status of everything', timeZone: 'Europe/Zurich', notifyByDefault: false },
      { pageTitle: 'Status of everything!' },
    ]);
});

it.each(['leaving the field', 'Enter'])('takes a city for its time zone after %s', async (how) => {
  const { state } = serve();
  const { user } = renderApp(paths.settings);
  await field('Name');
  const zone = screen.getByRole('combobox', { name: /Time zone/ });
  await user.clear(zone);
  await user.type(zone, 'new york');
  if (how === 'Enter') {
    await user.keyboard('{Enter}');
  } else {
    await user.tab();
    expect(zone).toHaveValue('America/New_York');
    await user.click(save());
  }
  await expect.poll(() => state.sent).toEqual([{ timeZone: 'America/New_York' }]);
});

it('leaves a time zone as it is that the browser knows by another name', async () => {
  const { change } = serve();
  change({ timeZone: 'US/Pacific' });
  const { user } = renderApp(paths.settings);
  const zone = await screen.findByRole('combobox', { name: /Time zone/ });
  await user.click(zone);
  await user.tab();
  expect(zone).toHaveValue('US/Pacific');
  expect(hasUnsavedChanges()).toBe(false);
  await user.clear(zone);
  await user.type(zone, 'US/Eastern');
  await user.tab();
  expect(zone).toHaveValue('America/New_York');
});

it('saves other settings although the browser does not know the stored time zone', async () => {
  const { state, change } = serve();
  change({ timeZone: 'Mars/Olympus' });
  const { user } = renderApp(paths.settings);
  await user.type(await field('Page title'), 'Status');
  await user.click(save());
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  expect(state.sent).toEqual([{ pageTitle: 'Status' }]);
});

it('switches a channel of visitors off, and reminders on', async () => {
  const { state } = serve();
  const { user } = renderApp(paths.settings);
  await user.click(await screen.findByRole('checkbox', { name: 'Slack' }));
  await user.click(screen.getByRole('checkbox', { name: 'Remind operators of open incidents' }));
  const hours = screen.getByRole('spinbutton', { name: /^Hours without an update/ });
  await user.clear(hours);
  await user.click(save());
  expect(await screen.findByText('Must be a number from 1 to 720')).toBeInTheDocument();
  await user.type(hours, '6');
  await user.click(save());
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  expect(state.sent).toEqual([
    { publicChannels: { ...settings.publicChannels, slack: false }, reminderHours: 6 },
  ]);
});

it('says what is wrong, in the words of the server', async () => {
  serve();
  const { user } = renderApp(paths.settings);
  await user.clear(await field('Name'));
  await user.type(screen.getByRole('textbox', { name: 'Support link' }), 'ftp://example.com');
  const zone = screen.getByRole('combobox', { name: /Time zone/ });
  await user.clear(zone);
  await user.type(zone, 'Europe/Nowhere');
  await user.click(save());
  for (const message of [
    'Name is required',
    'Unknown time zone',
    'Must be an http, https or mailto URL',
  ]) {
    expect(await screen.findByText(message)).toBeInTheDocument();
  }
});

it('shows what somebody else has saved first, and keeps the typed text', async () => {
  const { state, change } = serve();
  const { user } = renderApp(paths.settings);
  const title = await field('Page title');
  change({ pageTitle: 'Theirs' });
  await user.type(title, 'Mine');
  await user.click(save());
  const conflict = (await screen.findByText(/^This organisation has changed/)).closest(
    '[role=alert]',
  );
  expect(within(conflict as HTMLElement).getByText('Theirs')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
  await user.click(save());
  await expect.poll(() => state.sent).toEqual([{ pageTitle: 'Mine' }]);
});

it('does not undo what somebody else has saved in other fields', async () => {
  const { state, change } = serve();
  const { user } = renderApp(paths.settings);
  await user.type(await field('Page title'), 'Mine');
  // Without an event.
  change({ notifyByDefault: false });
  await user.click(save());
  expect(await screen.findByText(/^This organisation has changed/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Keep Mine' })).not.toBeInTheDocument();
  expect(screen.getByRole('checkbox', { name: /^Notify subscribers/ })).not.toBeChecked();
  await user.click(save());
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  expect(state.sent).toEqual([{ pageTitle: 'Mine' }]);
});

it('shows no error of a text that was corrected and saved after another user’s change', async () => {
  const { state, change } = serve();
  const { user } = renderApp(paths.settings);
  await user.clear(await field('Name'));
  await user.click(save());
  expect(await screen.findByText('Name is required')).toBeInTheDocument();
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await FakeSocket.last.join();
  change({ pageTitle: 'Theirs' });
  FakeSocket.last.fire('organisation-updated', state.settings);
  await expect
    .poll(() => screen.queryByRole('textbox', { name: 'Page title' }))
    .toHaveValue('Theirs');
  expect(screen.getByText('Name is required')).toBeInTheDocument();
  await user.type(await field('Name'), 'Acme');
  await user.click(save());
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  expect(screen.queryByText('Name is required')).not.toBeInTheDocument();
});

it('follows changes of others', async () => {
  const { state, change } = serve();
  renderApp(paths.settings);
  const title = await field('Page title');
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await FakeSocket.last.join();
  change({ pageTitle: 'Renamed' });
  FakeSocket.last.fire('organisation-updated', state.settings);
  await expect.poll(() => title).toHaveValue('Renamed');
});

it('takes no input while the settings are being saved', async () => {
  const { state } = serve();
  const { user } = renderApp(paths.settings);
  const title = await field('Page title');
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.patch(
      apiUrl(endpoints.organisationSettings),
      async () => {
        await finished;
        return undefined;
      },
      { once: true },
    ),
  );
  await user.type(title, 'Status{Enter}');
  await screen.findByRole('button', { name: 'Saving...' });
  await user.type(title, ' of everything');
  await user.click(screen.getByRole('checkbox', { name: 'Slack' }));
  expect(title).toHaveValue('Status');
  expect(screen.getByRole('checkbox', { name: 'Slack' })).toBeChecked();
  await user.click(title);
  finish();
  expect(await screen.findByText('Settings saved')).toBeInTheDocument();
  expect(title).toHaveFocus();
  await user.type(title, '!');
  await user.click(save());
  await expect.poll(() => state.sent).toEqual([{ pageTitle: 'Status' }, { pageTitle: 'Status!' }]);
});

it('is read-only for others than admins', async () => {
  serve();
  const organisation = { ...signedIn.organisation, role: 'editor' as const };
  renderApp(paths.settings, { auth: { ...signedIn, organisation } });
  expect(await field('Page title')).toHaveAttribute('readonly');
  expect(screen.getByText(/Only an admin/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});

it('leaves the name to an external identity provider', async () => {
  const { state } = serve();
  const { user } = renderApp(paths.settings, { configuration: { identityProvider: 'clerk' } });
  expect(await field('Name')).toHaveAttribute('readonly');
  await user.type(screen.getByRole('textbox', { name: 'Page title' }), 'Status');
  await user.click(save());
  await expect.poll(() => state.sent).toEqual([{ pageTitle: 'Status' }]);
});

it('offers no reminders with an external identity provider, and keeps their setting', async () => {
  const { state, change } = serve();
  change({ reminderHours: 6 });
  const { user } = renderApp(paths.settings, { configuration: { identityProvider: 'clerk' } });
  await user.click(await screen.findByRole('checkbox', { name: 'Slack' }));
  expect(screen.queryByRole('checkbox', { name: /^Remind/ })).not.toBeInTheDocument();
  expect(screen.queryByRole('spinbutton')).not.toBeInTheDocument();
  await user.click(save());
  await expect
    .poll(() => state.sent)
    .toEqual([{ publicChannels: { ...settings.publicChannels, slack: false } }]);
});

it('offers to read the settings again after a failure', async () => {
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), () => problem(403, 'Not yours'), {
      once: true,
    }),
  );
  const { user } = renderApp(paths.settings);
  expect(await screen.findByText('Not yours')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await field('Page title')).toBeInTheDocument();
});

it('offers the badges of components with the same name by their groups', async () => {
  serve();
  const page = aSnapshot({
    components: ['g1', 'g2'].map((id) => aComponent({ id, code: `code-of-${id}`, name: 'API' })),
  });
  const groups = [componentGroup('Europe', { id: 'g1' }), componentGroup('Asia', { id: 'g2' })];
  const components = groups.map(({ id }) => component('API', { id, groupId: id }));
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => success(page)),
    http.get(apiUrl(endpoints.components.list), () => success(components)),
    http.get(apiUrl(endpoints.componentGroups.list), () => success(groups)),
  );
  renderApp(paths.settings);
  const choices = await screen.findByRole('combobox', { name: 'Badge of' });
  await waitFor(() => expect(choices).toHaveTextContent('The pageAPI (Europe)API (Asia)'));
});

it('offers badges, the banner, feeds and the API, each to be copied', async () => {
  serve();
  const { user } = renderApp(paths.settings);
  const { url } = snapshot.organisation;
  const preview = await screen.findByRole('img', { name: /^Preview of the badge/ });
  expect(preview).toHaveAttribute('src', '/status/org-1/badge.svg');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Badge of' }), 'Website');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Shows' }), 'Uptime of 30 days');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Style' }), 'Square corners');
  await user.type(screen.getByRole('textbox', { name: 'Label' }), 'shop');
  const path = '/badge/0123456789ab.svg?metric=uptime&days=30&style=flat-square&label=shop';
  expect(preview).toHaveAttribute('src', `/status/org-1${path}`);
  expect(await field('Address of the badge')).toHaveValue(url + path);

  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Visible' }), 'Always');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Position' }), 'Bottom right');
  await user.click(screen.getByRole('button', { name: 'Copy: Script of the banner' }));
  expect(write).toHaveBeenCalledExactlyOnceWith(
    `<script async src="${url}/embed.js" data-show="always" data-position="bottom-right"></script>`,
  );
  expect(
    await screen.findByRole('button', { name: 'Copied: Script of the banner' }),
  ).toBeInTheDocument();
  expect(screen.getByTitle('Preview of the banner')).toHaveAttribute('src', '/status/org-1/embed');
  expect(await field('Directives of the policy')).toHaveValue(
    'script-src https://status.example.com; frame-src https://status.example.com',
  );
  expect(await field('Maintenance calendar')).toHaveValue(`${url}/maintenances.ics`);
  expect(await field('Summary')).toHaveValue(`${url}/api/v2/summary.json`);
  expect(await field('Snapshot of the page')).toHaveValue(
    'https://status.example.com/api/v1/status/org-1',
  );
});

it('says that links lead to another address than the one that is open', async () => {
  serve();
  renderApp(paths.settings);
  const notice = await screen.findByText('Links begin with https://status.example.com');
  expect(notice.closest('[role=status]')).toHaveTextContent(
    /You have opened http:\/\/localhost:8080, .* set ALLCLEAR_PUBLIC_URL\./,
  );
});

it('says where reminders go without a mail server', async () => {
  serve();
  const { user } = renderApp(paths.settings, { configuration: { mailServer: false } });
  const reminders = await screen.findByRole('checkbox', { name: /^Remind operators/ });
  expect(screen.queryByText(/^No mail server/)).not.toBeInTheDocument();
  await user.click(reminders);
  expect(screen.getByText(/^No mail server/)).toBeInTheDocument();
});

it('selects a text that the browser does not let it copy', async () => {
  serve();
  const { user } = renderApp(paths.settings);
  const summary = await field('Summary');
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Not allowed'));
  await user.click(screen.getByRole('button', { name: 'Copy: Summary' }));
  await expect.poll(() => document.activeElement).toBe(summary);
});

it('leads to each of its sections, and asks nothing about unsaved changes', async () => {
  serve();
  const { user } = renderApp(paths.settings);
  await user.type(await field('Page title'), 'Status');
  const links = within(screen.getByRole('navigation', { name: 'Sections' })).getAllByRole('link');
  const titles = screen.getAllByRole('heading', { level: 2 }).map((title) => title.textContent);
  expect(links.map((link) => link.textContent)).toEqual(titles);
  for (const link of links) {
    await user.click(link);
    const section = document.activeElement;
    expect(section?.id).toBe(link.getAttribute('href')?.slice(1));
    expect(section?.querySelector('h2')).toHaveTextContent(link.textContent);
  }
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
});

it('keeps Save in view while something is unsaved', async () => {
  serve();
  const { user } = renderApp(paths.settings);
  const title = await field('Page title');
  expect(save().closest('[data-bottom-bar]')).toBeNull();
  await user.type(title, '!');
  expect(save().closest('[data-bottom-bar]')).toHaveTextContent('There are unsaved changes.');
  await user.clear(title);
  expect(save().closest('[data-bottom-bar]')).toBeNull();
});

it('is not busy once the settings could not be loaded, and leads to the other sections', async () => {
  server.use(http.get(apiUrl(endpoints.organisationSettings), () => problem(403, 'Not now')));
  renderApp(paths.settings);
  const failure = await screen.findByText('The settings could not be loaded');
  expect(failure.closest('[aria-busy=true]')).toBeNull();
  const links = within(screen.getByRole('navigation', { name: 'Sections' })).getAllByRole('link');
  expect(links[0]).toHaveTextContent('Integrations');
});
