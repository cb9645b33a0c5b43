import { defaultClientConditions, defineConfig } from 'vite';

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
  // `css.gateForm` for .gate-form of a *.module.css. The name is readable in the browser, and unique.
  css: { modules: { localsConvention: 'camelCaseOnly', generateScopedName: '[local]_[hash:base64:5]' } },
  resolve: { conditions: ['toolmark-source', ...defaultClientConditions] },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
    },
  },
});
