import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = new URL('..', import.meta.url);

/** Builds the pages into `dist/web`; `config/build-web.mjs` says when. */
export default defineConfig({
  root: fileURLToPath(new URL('src/web', root)),
  base: '/',
  plugins: [react()],
  logLevel: 'warn',
  build: {
    outDir: fileURLToPath(new URL('dist/web.next', root)),
    emptyOutDir: true,
    target: 'es2023',
    // the pages' policy takes no data: addresses but pictures, and no inline script
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL('src/web/index.html', root)),
        sw: fileURLToPath(new URL('src/web/sw.ts', root)),
      },
      output: {
        // a browser looks for its service worker where it found it
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
      },
    },
    reportCompressedSize: false,
  },
});
