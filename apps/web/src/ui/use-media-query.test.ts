import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useMediaQuery } from './use-media-query';

it('says whether the window matches, also once a phone is turned', () => {
  const media = Object.assign(new EventTarget(), window.matchMedia(''), { matches: true });
  vi.spyOn(window, 'matchMedia').mockReturnValue(media);
  const { result } = renderHook(() => useMediaQuery('(width < 400px)'));
  expect(result.current).toBe(true);
  act(() => {
    Object.assign(media, { matches: false });
    media.dispatchEvent(new Event('change'));
  });
  expect(result.current).toBe(false);
});
