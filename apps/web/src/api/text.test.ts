import { describe, expect, it } from 'vitest';
import { line, text } from './text';

describe('text of one line', () => {
  it.each(['API', ' API\n', 'שלום\u200f!', '👩\u200d🔧 Ada'])('may be %j', (value) => {
    expect(line(20).isValidSync(value)).toBe(true);
  });

  it.each(['a\nb', 'a\rb', 'a\tb', 'a\u001b[2Jb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\u2066b'])(
    'may not be %j',
    (value) => {
      expect(() => line(20).validateSync(value)).toThrow('Must be one line');
    },
  );

  it('is not asked of longer text', () => {
    expect(text(20).isValidSync('a\nb')).toBe(true);
  });
});
