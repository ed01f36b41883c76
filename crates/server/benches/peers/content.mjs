// The content of each status page: ten components, one of them down, and an open incident about it.

export const organisation = 'Acme';

export const components = [
  'Website',
  'Checkout',
  'Search',
  'Payments',
  'Accounts',
  'Mail',
  'Images',
  'Webhooks',
  'Reports',
  'Mobile app',
].map((name, index) => ({ id: `component-${index}`, name, down: name === 'Payments' }));

export const incident = {
  title: 'Card payments fail',
  text: 'Payments by card are declined. We have found the cause and are working on a fix. Payments by transfer are not affected.',
};
