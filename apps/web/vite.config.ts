import { defaultClientConditions, defineConfig } from 'vite';

/** Beginnings of the names of modules that the first view does without. */
const OTHER_PRIMITIVES = [
  ...['json', 'claim', 'data-rows', 'combobox', 'facet', 'changes', 'character', 'common', 'figures', 'form', 'export'],
  ...['secret', 'text-diff', 'live-job', 'use-live', 'hint', 'glossary', 'filters', 'draft', 'details'],
];

/** A chunk with parts of several screens has all their names. */
const shortName = (name: string): string => name.split('~')[0]!.replace(/\.\w+$/, '');

export default defineConfig({
  root: import.meta.dirname,
  // React's own plugin is not needed without fast refresh, and its peer @babel/core 8 clashes with jest's 7.
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [
    {
      name: 'no-zod',
      enforce: 'pre',
      resolveId(id, importer) {
        if (id === 'zod')
          throw new Error(`${importer} loads zod: the page takes types and libs/contracts/values only.`);
      },
    },
  ],
  // `css.someName` for .some-name of a *.module.css. The name is readable in the browser, and unique.
  css: { modules: { localsConvention: 'camelCaseOnly', generateScopedName: '[local]_[hash:base64:5]' } },
  resolve: {
    conditions: ['toolmark-source', ...defaultClientConditions],
    // React has what the shim is for.
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: {
        // The first view lists all files, to load those of a screen at once: their names count.
        chunkFileNames: ({ name }) => `assets/${shortName(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) => `assets/${shortName(name)}-[hash][extname]`,
        // A browser fetches six files at a time, so a file for each shared module would be several waits: one for what
        // the page starts with, one for the primitives, and small ones together for parts with the same users.
        codeSplitting: {
          groups: [
            { name: 'page', tags: ['$initial'], priority: 2 },
            {
              name: 'ui',
              test: new RegExp(`/web/(api|live|ui)/(?!${OTHER_PRIMITIVES.join('|')})`),
              priority: 1,
            },
            { name: 'form', test: /\/web\/ui\/form\/(?!pick)/, priority: 1 },
            // What the first view needs is in no chunk with parts of other screens.
            { name: 'home', test: /\/features\/home\/screens\/home-screen/, priority: 0.5 },
            {
              name: 'parts',
              test: /\/(apps|libs)\//,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 2500,
            },
          ],
        },
      },
    },
  },
});
