import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { followThemeSwitch } from './theme-switch';

const end = new AbortController();
afterEach(() => end.abort());

it('switches the theme, says which one comes next, and keeps the choice', async () => {
  document.documentElement.dataset.theme = 'dark';
  document.body.innerHTML =
    '<svg hidden></svg><div class="page"><header><button class="ghost"><svg><use href="#sun"/></svg></button></header></div>';
  followThemeSwitch(document, end.signal);
  const button = document.querySelector('button');
  const icon = () => button?.querySelector('use')?.getAttribute('href');
  expect(button).toHaveAccessibleName('Switch to light theme');
  await userEvent.click(document.querySelector('.ghost svg') ?? document.body);
  expect(document.documentElement.dataset.theme).toBe('light');
  expect(localStorage.getItem('allclear:theme')).toBe('light');
  expect(button).toHaveAccessibleName('Switch to dark theme');
  expect(icon()).toBe('#moon');
  expect(document.querySelector('#moon')).not.toBeNull();

  localStorage.setItem('allclear:theme', 'dark');
  window.dispatchEvent(new StorageEvent('storage'));
  expect(icon()).toBe('#sun');
  expect(document.documentElement.dataset.theme).toBe('dark');
});
