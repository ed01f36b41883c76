import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useNameWidth } from './use-name-width';

it('leaves more room for the bars on narrow phones, also once a phone is turned', () => {
  const media = Object.assign(new EventTarget(), window.matchMedia(''), { matches: true });
  vi.spyOn(window, 'matchMedia').mockReturnValue(media);
  const { result } = renderHook(useNameWidth);
  expect(result.current).toBe(96);
  act(() => {
    Object.assign(media, { matches: false });
    media.dispatchEvent(new Event('change'));
  });
  expect(result.current).toBe(140);
});
