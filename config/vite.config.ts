import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = new URL('..', import.meta.url);

/** Which layer of styles wins must not hang on which chunk of them comes first. */
const LAYERS = '@layer reset, tokens, base, components, pages;';

/**
 * Has the first paint wait for nothing but the document: the app and its styles are asked for at
 * once, but by hints, which block no drawing.
 */
function firstPaint(): Plugin {
  return {
    name: 'first-paint',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'asset' && file.fileName.endsWith('.css'))
          file.source = `${LAYERS}${String(file.source)}`;
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).flatMap((file) =>
          file.type === 'chunk' ? [file] : [],
        );
        const app = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/web/main.tsx'));
        if (app === undefined) throw new Error('the build has no chunk of src/web/main.tsx');
        const needed = new Set([app.fileName]);
        // a set is walked on over what is added to it meanwhile
        for (const name of needed)
          for (const { fileName, imports } of chunks)
            if (fileName === name) for (const each of imports) needed.add(each);
        const styles = chunks
          .filter(({ fileName }) => needed.has(fileName))
          .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        const hint = (attributes: Record<string, string | boolean>) => ({
          tag: 'link',
          attrs: { ...attributes, crossorigin: true },
          injectTo: 'head' as const,
        });
        return [
          ...[...needed].map((file) => hint({ rel: 'modulepreload', href: `/${file}` })),
          ...styles.map((file) => hint({ rel: 'preload', as: 'style', href: `/${file}` })),
        ];
      },
    },
  };
}

/** Builds the pages into `dist/web`; `config/build-web.mjs` says when. */
export default defineConfig({
  root: fileURLToPath(new URL('src/web', root)),
  base: '/',
  plugins: [react(), firstPaint()],
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
