import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderRoutes } from '@/testing/render';
import { SiteFrame } from './site-frame';

function open(path: string) {
  const page = (title: string) => (
    <SiteFrame>
      <h1>{title}</h1>
    </SiteFrame>
  );
  return renderRoutes(
    [
      { path: '/about', element: page('About') },
      { path: '/blog', element: page('Blog') },
    ],
    { path },
  );
}

it('shows a page whose hash is malformed', () => {
  open('/about#100%');
  expect(screen.getByRole('heading', { name: 'About' })).toBeInTheDocument();
});

it('has a header from behind which base.css scrolls what takes the focus', () => {
  open('/about');
  expect(screen.getByRole('banner')).toHaveAttribute('data-top-bar');
});

it('moves the focus to the next page, and leaves it at the beginning of a loaded page', async () => {
  const { router } = open('/about');
  expect(document.body).toHaveFocus();
  await act(() => router.navigate('/blog'));
  expect(screen.getByRole('heading', { name: 'Blog' })).toBeInTheDocument();
  expect(screen.getByRole('main')).toHaveFocus();
});
