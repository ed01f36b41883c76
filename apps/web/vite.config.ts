import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { documentation } from './build/documentation.ts';
import { embed } from './build/embed.ts';
import { firstPaint } from './build/first-paint.ts';
import { historyPage } from './build/history-page.ts';
import { iconSprite } from './build/icon-sprite.ts';
import { precompress } from './build/precompress.ts';
import { publicPageChunks, subscribeChunk } from './build/public-page-chunks.ts';
import { publicPageGuard } from './build/public-page-guard.ts';
import { statusPageRoute } from './build/status-page-route.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const server = 'http://127.0.0.1:8080';

/** The test files that need modules of their own, with the reason. */
const isolated = [
  // React keeps the failure of a component that it loads on demand, for every later test.
  'src/app/content-not-loaded.test.tsx',
];

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    documentation(),
    statusPageRoute(),
    iconSprite(),
    publicPageGuard({ maxBytes: 80 * 1024 }),
    firstPaint({ maxBytes: 6 * 1024 }),
    historyPage({ maxBytes: 5120 }),
    embed({ maxBytes: 2048 }),
    precompress(),
  ],
  resolve: {
    alias: [
      { find: '@', replacement: file('./src') },
      { find: '@docs', replacement: file('../../docs') },
      { find: '@content', replacement: file('./content') },
      // The original writes a <style> element, which the content security policy forbids.
      { find: 'react-remove-scroll', replacement: file('./src/ui/scroll-lock.ts') },
      // Imported by lucide-react's icons.
      { find: '../createLucideIcon.mjs', replacement: file('./src/ui/create-icon.ts') },
    ],
  },
  define: { STATUS_FILES: '[]' },
  build: {
    // Everything is a file of its own: the policy allows no inline scripts, and of styles the
    // public page's alone.
    assetsInlineLimit: 0,
    // A browser without module preloading loads the same modules a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      preserveEntrySignatures: 'exports-only',
      input: {
        index: file('./index.html'),
        statusPage: file('./status.html'),
        // What the status page's first script loads on demand.
        status: file('./src/app/status-hydrate.tsx'),
        history: file('./history.html'),
      },
      output: { codeSplitting: { groups: [publicPageChunks(), subscribeChunk()] } },
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
    // Radix takes the same scroll lock in tests as in the build.
    server: { deps: { inline: [/radix-ui/] } },
    env: { TZ: 'Europe/Berlin' },
    css: true,
    // The default leaves one processor idle.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        // The files of a worker share modules and a window. Otherwise each file loads React and its
        // screens again.
        test: {
          name: 'shared',
          include: ['{src,build}/**/*.test.{ts,tsx}'],
          exclude: isolated,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
    testTimeout: 30_000,
    // As long as the testing library waits: a screen's first rendering takes its time on a
    // busy machine.
    expect: { poll: { timeout: 8000 } },
    restoreMocks: true,
    unstubGlobals: true,
  },
});
