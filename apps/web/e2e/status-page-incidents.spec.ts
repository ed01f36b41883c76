import { expect, test } from './fixtures';

interface Created {
  id: string;
}

test('a visitor watches an incident from its report to its resolution', async ({
  page,
  organisation,
}) => {
  const { id: componentId } = await organisation.createComponent('Checkout');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const incidents = page.getByRole('region', { name: 'Incidents' });
  const components = page.getByRole('region', { name: 'Components' });
  await expect(incidents.getByText('No incidents in the last 14 days.')).toBeVisible();

  const { id } = await organisation.call<Created>('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId, status: 'MAJOR_OUTAGE' }],
  });
  const incident = incidents.getByRole('article').filter({ hasText: 'Payments fail' });
  await expect(incident).toContainText('Investigating');
  await expect(incident).toContainText('Cards are declined.');
  await expect(incident.getByRole('listitem')).toHaveText(/Checkout\s*Major Outage/);
  await expect(components.getByText('Major Outage')).toBeVisible();

  await organisation.call('POST', `/incident/${id}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'A provider is down.',
  });
  const timeline = incident.getByRole('list', { name: 'Timeline of Payments fail' });
  await expect(timeline.getByRole('listitem')).toHaveText(/Identified.*A provider is down\./);
  await organisation.call('POST', `/incident/${id}/updates/create`, {
    status: 'RESOLVED',
    message: 'Payments pass again.',
  });
  await expect(timeline.getByRole('listitem').first()).toContainText('Payments pass again.');
  await expect(components.getByText('Operational')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Current status' })).toContainText(
    'All Systems Operational',
  );

  const live = await incidents.innerText();
  await page.reload();
  // The server writes times in UTC; the page's script, which comes after it, as where it is read.
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(timeline.getByRole('listitem')).toHaveCount(2);
  expect(await incidents.innerText()).toBe(live);
});

test('a wide window shows the sections in the order in which they are read', async ({
  page,
  organisation,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await organisation.createComponent('Checkout');
  await organisation.call('POST', '/maintenance/create', {
    title: 'Move',
    description: 'Half of it is done.',
    startAt: new Date(Date.now() - 60_000).toISOString(),
  });
  const places = () =>
    page.locator('.sections > section').evaluateAll((sections) =>
      sections.map((section) => {
        const { left, top } = section.getBoundingClientRect();
        return { heading: section.querySelector('h2')?.textContent, left, top };
      }),
    );
  const expectOrder = async (headings: string[], lastColumn: 'left' | 'right') => {
    await page.goto(organisation.statusPage);
    const shown = await places();
    expect(shown.map(({ heading }) => heading)).toEqual(headings);
    const [first, second, third] = shown;
    if (!first || !second || !third) throw new Error('a section is missing');
    expect(first.left).toBeLessThan(second.left);
    expect(first.top).toBe(second.top);
    const above = lastColumn === 'left' ? first : second;
    expect(third.left).toBe(above.left);
    expect(third.top).toBeGreaterThan(above.top);
  };
  await expectOrder(['Components', 'Scheduled Maintenance', 'Incidents'], 'right');
  await organisation.call('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
  });
  await expectOrder(['Incidents', 'Scheduled Maintenance', 'Components'], 'left');
});
