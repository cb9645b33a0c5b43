import { defaultClientConditions, defineConfig } from 'vite';

/** The API that `npm run dev:web` speaks to: the one that `npm start` runs. */
const api = 'http://127.0.0.1:8501';

export default defineConfig({
  root: import.meta.dirname,
  // React's own plugin is not needed without fast refresh, and its peer @babel/core 8 clashes with jest's 7.
  oxc: { jsx: { runtime: 'automatic' } },
  resolve: { conditions: ['toolmark-source', ...defaultClientConditions] },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
    },
  },
  // `api/` is a folder of the page, too, whose files have a dot in their names.
  server: { proxy: { '^/api/[^.]*(\\?.*)?$': api, '/socket.io': { target: api, ws: true } } },
});
