import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { documentation } from './build/documentation.ts';
import { firstPaint } from './build/first-paint.ts';
import { historyPage } from './build/history-page.ts';
import { precompress } from './build/precompress.ts';
import { publicPageGuard } from './build/public-page-guard.ts';
import { statusPageRoute } from './build/status-page-route.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const server = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    documentation(),
    statusPageRoute(),
    publicPageGuard({ maxBytes: 90_000 }),
    firstPaint(),
    historyPage({ maxBytes: 5120 }),
    precompress(),
  ],
  resolve: {
    alias: {
      '@': file('./src'),
      '@docs': file('../../docs'),
      '@content': file('./content'),
      // The original writes a <style> element, which the content security policy forbids.
      'react-remove-scroll': file('./src/ui/scroll-lock.ts'),
    },
  },
  build: {
    // Everything is a file of its own: the policy allows no inline scripts, and of styles the public page's alone.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: file('./index.html'),
        status: file('./status.html'),
        history: file('./history.html'),
      },
    },
  },
  server: {
    fs: { allow: ['.', '../../docs'] },
    proxy: {
      '/api': server,
      '/.well-known': server,
      '/socket.io': { target: server, ws: true },
    },
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://localhost:8080/' } },
    setupFiles: ['./src/testing/setup.ts'],
    include: ['{src,build}/**/*.test.{ts,tsx}'],
    // Radix takes the same scroll lock in tests as in the build.
    server: { deps: { inline: [/radix-ui/] } },
    env: { TZ: 'Europe/Berlin' },
    css: true,
    testTimeout: 30_000,
    // As long as the testing library waits: a screen's first rendering takes its time on a busy machine.
    expect: { poll: { timeout: 8000 } },
    restoreMocks: true,
    unstubGlobals: true,
  },
});
