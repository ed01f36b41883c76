import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ColumnsChart, RowsChart } from './bar-charts';

const points = [
  { id: 'c1', name: 'API', value: 99.95 },
  { id: 'c2', name: 'CDN', value: 98.7 },
];

it.each([
  ['rows', RowsChart, 'ArrowLeft'],
  ['columns', ColumnsChart, 'ArrowRight'],
])('announces each chosen bar of %s, in a region that is there before', (_, Chart, key) => {
  render(<Chart label="Uptime" points={points} format={(value) => `${value} %`} />);
  const region = screen.getByRole('status');
  expect(region).toBeEmptyDOMElement();
  expect(region).toHaveAttribute('aria-live', 'assertive');
  const chart = screen.getByRole('application');
  fireEvent.focus(chart);
  expect(region).toHaveTextContent('API: 99.95 %');
  fireEvent.keyDown(chart, { key });
  expect(region).toHaveTextContent('CDN: 98.7 %');
});
