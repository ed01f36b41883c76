import { act, screen, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Component } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { componentGroup } from '@/testing/component-group';
import { FakeSocket } from '@/testing/fake-socket';
import { success, apiUrl, problem, server } from '@/testing/server';
import { renderApp } from './testing';

const website: Component = {
  id: 'c1',
  name: 'Website',
  description: 'The shop',
  status: 'OPERATIONAL',
  underMaintenance: false,
  code: '0123456789ab',
  groupId: null,
  position: 1,
  showUptime: true,
  startDate: null,
  onlyShowWhenAffected: false,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
};

const incident = {
  id: 'i1',
  title: 'Payments fail',
  description: 'Cards are declined.',
  status: 'INVESTIGATING',
  occuredAt: '2026-11-20T09:00:00.000Z',
  resolvedAt: null as string | null,
  createdAt: '2026-11-20T09:05:00.000Z',
};

const maintenance = {
  id: 'm1',
  title: 'Database upgrade',
  description: 'Writes pause.',
  status: 'SCHEDULED',
  startAt: '2126-11-25T01:00:00.000Z',
  endAt: null as string | null,
  createdAt: '2026-11-20T09:05:00.000Z',
  components: [],
};

/** One item on a server that stores a PATCH only on top of the newest version. */
class Item<T extends object> {
  version = 1;
  /** What each accepted PATCH has left. */
  saved: T[] = [];
  #value: T;
  #pending: (() => void)[] | null = null;

  constructor(path: string, value: T) {
    this.#value = value;
    server.use(
      http.get(apiUrl(path), async () => {
        const now = success(this.#value, { etag: `"${this.version}"` });
        const pending = this.#pending;
        if (pending) await new Promise<void>((resolve) => pending.push(resolve));
        return now;
      }),
      http.patch(apiUrl(path), async ({ request }) => {
        if (request.headers.get('If-Match') !== `"${this.version}"`) {
          return problem(412, 'Somebody else has changed it');
        }
        this.change((await request.json()) as Partial<T>);
        this.saved.push(this.#value);
        return success(this.#value, { etag: `"${this.version}"` });
      }),
    );
  }

  change(values: Partial<T>): T {
    this.#value = { ...this.#value, ...values };
    this.version += 1;
    return this.#value;
  }

  /** Keeps back the responses of reads until `release`. */
  hold(): void {
    this.#pending = [];
  }

  /** How many responses are kept back. */
  get pending(): number {
    return this.#pending?.length ?? 0;
  }

  async releaseNewest(): Promise<void> {
    const respond = this.#pending?.pop();
    await act(async () => {
      respond?.();
      await settled();
    });
  }

  async release(): Promise<void> {
    const pending = this.#pending ?? [];
    this.#pending = null;
    await act(async () => {
      pending.forEach((respond) => respond());
      await settled();
    });
  }
}

/** Waits for a later request, so that the responses before it have been handled. */
async function settled(): Promise<void> {
  await fetch('/marker');
  await fetch('/marker');
}

beforeEach(() => {
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success([website])),
    http.get(apiUrl(endpoints.incidents.list), () => success([])),
    http.get(apiUrl(endpoints.incidents.updates('i1')), () => success([])),
    http.get(apiUrl(endpoints.maintenances.list), () => success([])),
    http.get(apiUrl(endpoints.maintenances.updates('m1')), () => success([])),
    http.get('/marker', () => new Response()),
  );
});

const conflict = (thing: string) =>
  screen.findByText(`This ${thing} has changed since you opened it`);
const noConflict = () => expect(screen.queryByText(/has changed since you opened it$/)).toBeNull();
/** Says that a rejected save was merged into the form. */
const merged = () => screen.findByText(/^Nothing has been saved. The form now shows/);
const conflictingFields = () =>
  within(screen.getByRole('alert'))
    .getAllByRole('term')
    .map((term) => term.textContent);
const noChoice = () => expect(screen.queryByRole('button', { name: 'Keep Mine' })).toBeNull();

async function openComponent() {
  const item = new Item(endpoints.components.item('c1'), website);
  const { user } = renderApp(paths.components.edit('c1'));
  const name = () => screen.getByLabelText(/^Name/);
  await expect.poll(() => screen.queryByLabelText(/^Name/)).toHaveValue('Website');
  await act(() => FakeSocket.last.join());
  return { item, user, name, submit: () => screen.getByRole('button', { name: 'Update' }) };
}

async function openIncident() {
  const item = new Item(endpoints.incidents.item('i1'), incident);
  const { user } = renderApp(paths.incidents.edit('i1'));
  await expect.poll(() => screen.queryByLabelText(/^Title/)).toHaveValue('Payments fail');
  await act(() => FakeSocket.last.join());
  const publish = () => {
    act(() => FakeSocket.last.fire('incident-updated', { ...item.change({}), components: [] }));
  };
  const radio = (name: string) => screen.getByRole('radio', { name });
  const submit = () => screen.getByRole('button', { name: 'Update Incident' });
  return { item, user, publish, radio, submit };
}

describe('a component’s form', () => {
  it('shows a version that arrives after typing began, and does not save over it', async () => {
    const { item, user, name, submit } = await openComponent();
    item.hold();
    act(() => FakeSocket.last.fire('component-update', item.change({ name: 'Shop' })));
    await expect.poll(() => item.pending).toBe(1);
    await user.clear(name());
    await user.type(name(), 'My shop');
    await item.release();

    expect(await conflict('component')).toBeVisible();
    expect(screen.getByText('Shop')).toBeVisible();
    expect(name()).toHaveValue('My shop');
    await user.click(submit());
    expect(await screen.findByText('Error')).toBeVisible();
    expect(item.saved).toEqual([]);

    await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
    expect(name()).toHaveValue('My shop');
    await user.click(submit());
    expect(await screen.findByText('Component Updated')).toBeVisible();
    expect(item.saved).toMatchObject([{ name: 'My shop' }]);
  });

  it('does not adopt a version that arrives while it is being saved', async () => {
    const { item, user, name, submit } = await openComponent();
    item.hold();
    act(() => FakeSocket.last.fire('component-update', item.change({ name: 'Shop' })));
    await expect.poll(() => item.pending).toBe(1);
    await user.type(name(), ' and app');
    await user.click(submit());
    await item.release();
    expect(await conflict('component')).toBeVisible();
    expect(item.saved).toEqual([]);
    expect(name()).toHaveValue('Website and app');
  });

  it('adopts the changes of another user in fields that the user has not edited', async () => {
    const { item, user, name, submit } = await openComponent();
    await user.type(name(), ' and app');
    act(() => FakeSocket.last.fire('component-update', item.change({ description: 'A till' })));
    await expect.poll(() => screen.getByLabelText('Description')).toHaveValue('A till');
    expect(name()).toHaveValue('Website and app');
    noConflict();
    await user.click(submit());
    expect(await screen.findByText('Component Updated')).toBeVisible();
    expect(item.saved).toMatchObject([{ name: 'Website and app', description: 'A till' }]);
  });

  it('keeps the changes of another user in other fields when the user keeps the own text', async () => {
    const { item, user, name, submit } = await openComponent();
    await user.type(name(), ' and app');
    const changed = item.change({ name: 'Shop', description: 'A till', status: 'DEGRADED' });
    act(() => FakeSocket.last.fire('component-update', changed));
    await conflict('component');
    expect(conflictingFields()).toEqual(['Name']);
    await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
    expect(submit()).toHaveFocus();
    expect(screen.getByLabelText('Description')).toHaveValue('A till');
    await user.click(submit());
    expect(await screen.findByText('Component Updated')).toBeVisible();
    expect(item.saved).toMatchObject([
      { name: 'Website and app', description: 'A till', status: 'DEGRADED' },
    ]);
  });

  it('drops a version that arrives after a newer one', async () => {
    const { item, user, name, submit } = await openComponent();
    item.hold();
    act(() => FakeSocket.last.fire('component-update', item.change({ name: 'Shop' })));
    await expect.poll(() => item.pending).toBe(1);
    act(() => FakeSocket.last.fire('component-update', item.change({ name: 'Store' })));
    await expect.poll(() => item.pending).toBe(2);
    await item.releaseNewest();
    await expect.poll(() => name()).toHaveValue('Store');
    await item.release();
    expect(name()).toHaveValue('Store');
    await user.type(name(), 's');
    await user.click(submit());
    expect(await screen.findByText('Component Updated')).toBeVisible();
    expect(item.saved).toMatchObject([{ name: 'Stores' }]);
  });
});

describe('an incident’s form', () => {
  it.each(['Monitoring', 'Resolved'])(
    'shows the status %s of a colleague, and does not save another over it',
    async (label) => {
      const { item, user, publish, radio, submit } = await openIncident();
      await user.click(radio('Identified'));
      item.change({ status: label.toUpperCase() });
      publish();
      expect(await conflict('incident')).toBeVisible();
      expect(radio('Identified')).toBeChecked();
      expect(within(screen.getByRole('alert')).getByText(label)).toBeVisible();
      await user.click(submit());
      expect(await screen.findByText('Error while creating incident')).toBeVisible();
      expect(item.saved).toEqual([]);
      await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
      expect(radio(label)).toBeChecked();
    },
  );

  it('shows a status that arrives after the user kept the own choice once', async () => {
    const { item, user, publish, radio, submit } = await openIncident();
    await user.click(radio('Identified'));
    item.change({ status: 'MONITORING' });
    publish();
    await conflict('incident');
    await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
    noConflict();
    item.change({ status: 'RESOLVED' });
    publish();
    await conflict('incident');
    await user.click(submit());
    expect(await screen.findByText('Error while creating incident')).toBeVisible();
    expect(item.saved).toEqual([]);
  });

  it('keeps what was typed into other fields when the user takes the new version', async () => {
    const { item, user, publish, submit } = await openIncident();
    const title = () => screen.getByLabelText(/^Title/);
    const description = () => screen.getByLabelText(/^Description/);
    await user.type(description(), ' We look into it.');
    await user.type(title(), ' often');
    item.change({ title: 'Card payments fail' });
    publish();
    await conflict('incident');
    expect(conflictingFields()).toEqual(['Title']);
    await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
    expect(submit()).toHaveFocus();
    expect(title()).toHaveValue('Card payments fail');
    expect(description()).toHaveValue('Cards are declined. We look into it.');
    await user.click(submit());
    expect(await screen.findByText('Incident Created')).toBeVisible();
    expect(item.saved).toMatchObject([
      { title: 'Card payments fail', description: 'Cards are declined. We look into it.' },
    ]);
  });

  it('shows the newest status beside a new update, also while the form has another one', async () => {
    const { item, user, publish, radio } = await openIncident();
    await user.click(radio('Identified'));
    item.change({ status: 'MONITORING' });
    publish();
    await conflict('incident');
    await user.click(screen.getByRole('button', { name: 'Record Update' }));
    expect(screen.getByRole('dialog')).toHaveAccessibleDescription('Payments fail Now: Monitoring');
    expect(screen.getByText(/moves the incident back from Monitoring/)).toBeVisible();
  });
});

describe('versions that arrive while the form is busy', () => {
  it('shows a version from the time of a conflict once the user has chosen', async () => {
    const { item, user, publish, radio, submit } = await openIncident();
    const title = () => screen.getByLabelText(/^Title/);
    await user.type(title(), ' often');
    item.change({ title: 'Cards fail' });
    publish();
    await conflict('incident');
    item.change({ status: 'RESOLVED' });
    item.hold();
    publish();
    await expect.poll(() => item.pending).toBe(1);
    await item.release();
    await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
    await expect.poll(() => radio('Resolved')).toBeChecked();
    expect(title()).toHaveValue('Cards fail');
    noConflict();
    await user.type(title(), ' often');
    await user.click(submit());
    expect(await screen.findByText('Incident Created')).toBeVisible();
    expect(item.saved).toMatchObject([{ title: 'Cards fail often' }]);
  });

  it('shows a version from the time of a save that fails', async () => {
    const { item, user, name, submit } = await openComponent();
    let fail: () => void = () => undefined;
    server.use(
      http.patch(apiUrl(endpoints.components.item('c1')), async () => {
        await new Promise<void>((resolve) => {
          fail = resolve;
        });
        return problem(422, 'The name is taken');
      }),
    );
    await user.type(name(), ' and app');
    await user.click(submit());
    item.hold();
    act(() => FakeSocket.last.fire('component-update', item.change({ description: 'A till' })));
    await expect.poll(() => item.pending).toBe(1);
    await item.release();
    fail();
    expect(await screen.findByText('Error')).toBeVisible();
    await expect.poll(() => screen.getByLabelText('Description')).toHaveValue('A till');
    expect(name()).toHaveValue('Website and app');
  });
});

describe('a rejected save', () => {
  it('merges the newer version, also if an event’s read of it arrives first', async () => {
    const { item, user, name, submit } = await openComponent();
    await user.type(name(), ' and app');
    item.hold();
    const changed = item.change({ description: 'A till' });
    await user.click(submit());
    await expect.poll(() => item.pending).toBe(1);
    act(() => FakeSocket.last.fire('component-update', changed));
    await expect.poll(() => item.pending).toBe(2);
    await item.releaseNewest();
    await item.release();
    expect(await conflict('component')).toBeVisible();
    expect(await merged()).toBeVisible();
    noChoice();
    expect(screen.getByLabelText('Description')).toHaveValue('A till');
    expect(name()).toHaveValue('Website and app');
  });

  it('moves no incident back to the status that its form began with', async () => {
    const { item, user, radio, submit } = await openIncident();
    await user.type(screen.getByLabelText(/^Description/), ' We look into it.');
    item.change({ status: 'MONITORING' });
    await user.click(submit());
    expect(await merged()).toBeVisible();
    noChoice();
    expect(radio('Monitoring')).toBeChecked();
    expect(item.saved).toEqual([]);
    await user.click(submit());
    expect(await screen.findByText('Incident Created')).toBeVisible();
    expect(item.saved).toMatchObject([
      { status: 'MONITORING', description: 'Cards are declined. We look into it.' },
    ]);
  });

  it('ends an open conflict if the newest version is in other fields', async () => {
    const { item, user, publish, submit } = await openIncident();
    const title = () => screen.getByLabelText(/^Title/);
    await user.type(title(), ' often');
    item.change({ title: 'Cards fail' });
    publish();
    await conflict('incident');
    item.change({ title: 'Payments fail', status: 'MONITORING' });
    await user.click(submit());
    expect(await merged()).toBeVisible();
    noChoice();
    expect(title()).toHaveValue('Payments fail often');
  });

  it('says that the item is deleted if it is gone before the newer version is read', async () => {
    const { item, user, name, submit } = await openComponent();
    await user.type(name(), ' and app');
    item.change({ description: 'A till' });
    const path = apiUrl(endpoints.components.item('c1'));
    server.use(http.get(path, () => problem(404, 'There is no such component')));
    await user.click(submit());
    expect(await screen.findByText(/^This component was deleted/)).toBeVisible();
    expect(name()).toHaveValue('Website and app');
  });
});

describe('an update’s dialog', () => {
  it('starts from the version of an event that comes before the form', async () => {
    const update = {
      id: 'u1',
      status: 'MONITORING',
      message: 'Cards work again.',
      displayAt: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      user: { id: 'user-1', name: 'Ada Lovelace' },
    };
    server.use(http.get(apiUrl(endpoints.incidents.updates('i1')), () => success([update])));
    const { user } = await openIncident();
    const item = new Item(endpoints.incidents.update('i1', 'u1'), update);
    item.hold();
    await user.click(await screen.findByRole('button', { name: /^Edit/ }));
    await expect.poll(() => item.pending).toBe(1);
    const changed = item.change({ message: 'Most cards work.' });
    act(() => FakeSocket.last.fire('timeline-updated', { ...changed, incidentId: 'i1' }));
    await expect.poll(() => item.pending).toBe(2);
    await item.releaseNewest();
    await item.release();
    const message = () => screen.getByRole('textbox', { name: /^Message/ });
    await expect.poll(message).toHaveValue('Most cards work.');
    noConflict();
  });
});

describe('a maintenance’s form', () => {
  it('shows a version that arrives after typing began, and does not save over it', async () => {
    const item = new Item(endpoints.maintenances.item('m1'), maintenance);
    const { user } = renderApp(paths.schedules.edit('m1'));
    await expect.poll(() => screen.queryByLabelText(/^Title/)).toHaveValue('Database upgrade');
    await act(() => FakeSocket.last.join());
    item.hold();
    const changed = { ...item.change({ description: 'Nothing works.' }), timeline: [] };
    act(() => FakeSocket.last.fire('maintenance-updated', changed));
    await expect.poll(() => item.pending).toBe(1);
    await user.type(screen.getByLabelText(/^Description/), ' A lot.');
    await item.release();
    expect(await conflict('maintenance')).toBeVisible();
    expect(screen.getByText('Nothing works.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Update Maintenance' }));
    expect(await screen.findByText('Error while updating maintenance')).toBeVisible();
    expect(item.saved).toEqual([]);
  });
});

describe('a deleted item', () => {
  it('is reported at once, and what was typed stays', async () => {
    const { user, name } = await openComponent();
    await user.type(name(), ' and app');
    const path = apiUrl(endpoints.components.item('c1'));
    server.use(http.get(path, () => problem(404, 'There is no such component')));
    act(() => FakeSocket.last.fire('component-deleted', 'c1'));
    expect(await screen.findByText('This component was deleted since you opened it')).toBeVisible();
    expect(name()).toHaveValue('Website and app');
  });

  it('is reported in the dialog of a group, also of the last one', async () => {
    const group = componentGroup('Europe', { id: 'g1' });
    const list = apiUrl(endpoints.componentGroups.list);
    const path = apiUrl(endpoints.componentGroups.item('g1'));
    server.use(
      http.get(list, () => success([group])),
      http.get(path, () => success(group, { etag: '"1"' })),
    );
    const { user } = renderApp(paths.components.list);
    await user.click(await screen.findByRole('button', { name: 'Edit Europe' }));
    const name = () => screen.getByRole('textbox', { name: /^Name/ });
    await expect.poll(() => screen.queryByRole('textbox', { name: /^Name/ })).toHaveValue('Europe');
    await act(() => FakeSocket.last.join());
    await user.type(name(), ' and Asia');

    server.use(
      http.get(list, () => success([])),
      http.get(path, () => problem(404, 'There is no such group')),
    );
    act(() => FakeSocket.last.fire('component-group-deleted', 'g1'));
    expect(await screen.findByText(/^This group was deleted/)).toBeVisible();
    await expect.poll(() => screen.queryByRole('button', { name: 'Edit Europe' })).toBeNull();
    expect(name()).toHaveValue('Europe and Asia');
  });

  it('is reported to a user who edits its update, too', async () => {
    const update = {
      id: 'u1',
      status: 'MONITORING',
      message: 'Cards work again.',
      displayAt: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      user: { id: 'user-1', name: 'Ada Lovelace' },
    };
    const item = apiUrl(endpoints.incidents.update('i1', 'u1'));
    server.use(
      http.get(apiUrl(endpoints.incidents.updates('i1')), () => success([update])),
      http.get(item, () => success(update, { etag: '"1"' })),
    );
    const { user } = await openIncident();
    await user.click(await screen.findByRole('button', { name: /^Edit/ }));
    const message = () => screen.getByRole('textbox', { name: /^Message/ });
    await expect.poll(message).toHaveValue('Cards work again.');
    await user.type(message(), ' Mostly.');

    server.use(http.get(item, () => success({ ...update, status: 'IDENTIFIED' }, { etag: '"2"' })));
    act(() => FakeSocket.last.fire('timeline-updated', { ...update, incidentId: 'i1' }));
    await expect
      .poll(() => within(screen.getByRole('dialog')).getByRole('radio', { name: 'Identified' }))
      .toBeChecked();
    expect(message()).toHaveValue('Cards work again. Mostly.');

    server.use(http.get(item, () => problem(404, 'There is no such update')));
    act(() => FakeSocket.last.fire('incident-timeline-deleted', 'i1', 'u1'));
    expect(await screen.findByText(/^This update was deleted/)).toBeVisible();
    expect(message()).toHaveValue('Cards work again. Mostly.');
  });
});
