import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Prose } from './page-parts';

describe('text of people', () => {
  it('has links for web addresses and nothing else', () => {
    const text =
      'See https://status.example/a?b=1&c=2, http://x.example. (HTTPS://x.example/A_(b)) ' +
      'Not javascript:alert(1), ftp://x.example or ann@example.com';
    render(<Prose text={text} />);
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      'https://status.example/a?b=1&c=2',
      'http://x.example',
      'HTTPS://x.example/A_(b)',
    ]);
    expect(screen.getByText(/^See/).textContent).toBe(text);
  });

  it('without an address is only text', () => {
    render(<Prose text="All is well" />);
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByText('All is well')).toBeInTheDocument();
  });
});
