import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { NameTick } from './name-tick';

it('cuts a wide name at its end and has all of it in the title', () => {
  const name = 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW';
  render(
    <svg>
      <NameTick x={134} y={17} width={130} name={name} />
    </svg>,
  );
  const shown = screen.getByTitle(name);
  expect(shown).toHaveTextContent(name);
  expect(shown).toHaveClass('truncate');
  expect(shown.parentElement).toHaveAttribute('x', '4');
});
