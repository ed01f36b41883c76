import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import themeScript from '/public/theme.js?raw';
import tokens from '@/styles/tokens.css?raw';
import { useTheme } from './theme';
import { setTheme } from './theme-choice';
import { useShownTheme } from './use-shown-theme';

function firstPaint(): string | undefined {
  const script = document.createElement('script');
  script.textContent = themeScript;
  delete document.documentElement.dataset.theme;
  document.head.append(script);
  script.remove();
  return document.documentElement.dataset.theme;
}

it('is dark until the user chooses', () => {
  expect(renderHook(() => useTheme()[0]).result.current).toBe('dark');
  expect(firstPaint()).toBe('dark');
});

it('keeps the choice and applies it before the next first paint', () => {
  const { result } = renderHook(() => useTheme()[0]);
  act(() => setTheme('light'));
  expect(result.current).toBe('light');
  expect(document.documentElement).toHaveAttribute('data-theme', 'light');
  expect(firstPaint()).toBe('light');
});

it('gives the frame of the browser the colour of the page', () => {
  const canvas = document.createElement('meta');
  canvas.name = 'theme-color';
  document.head.append(canvas);
  const colours = [...tokens.matchAll(/--canvas: (#[0-9a-f]{6});/g)].map(([, colour]) => colour);
  for (const [theme, colour] of [
    ['light', colours[0]],
    ['dark', colours[1]],
  ] as const) {
    act(() => setTheme(theme));
    expect(canvas.content).toBe(colour);
    canvas.content = '';
    firstPaint();
    expect(canvas.content).toBe(colour);
  }
  canvas.remove();
});

it('follows the system only when the user chooses so', () => {
  const light = Object.assign(new EventTarget(), window.matchMedia(''), { matches: true });
  vi.spyOn(window, 'matchMedia').mockReturnValue(light);
  act(() => setTheme('dark'));
  expect(document.documentElement).toHaveAttribute('data-theme', 'dark');
  act(() => setTheme('system'));
  expect(document.documentElement).toHaveAttribute('data-theme', 'light');
});

it('keeps the choice as long as the page if storage is forbidden', () => {
  const forbidden = () => {
    throw new DOMException('Forbidden', 'SecurityError');
  };
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(forbidden);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(forbidden);
  const system = Object.assign(new EventTarget(), window.matchMedia(''));
  vi.spyOn(window, 'matchMedia').mockReturnValue(system);
  const { result } = renderHook(() => useTheme()[0]);
  act(() => setTheme('light'));
  expect(result.current).toBe('light');
  act(() => void system.dispatchEvent(new Event('change')));
  expect(document.documentElement).toHaveAttribute('data-theme', 'light');
});

it('returns the theme that results from the choice', () => {
  const { result } = renderHook(() => useShownTheme());
  act(() => setTheme('light'));
  expect(result.current).toBe('light');
  act(() => setTheme('dark'));
  expect(result.current).toBe('dark');
});
