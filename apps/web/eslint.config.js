import { readdirSync } from 'node:fs';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/*
 * The layers of src/, which README.md describes. A layer imports from those before it in this list,
 * and from the files of src/ itself. A rule set by a later block replaces the one before it, so
 * every block below names all that its folder may not import.
 */
const layers = [
  'api',
  'page-rules',
  'ui',
  'auth',
  'realtime',
  'items',
  'site',
  'shared-features',
  'features',
  'app',
];

const upwards = { regex: '^\\.\\./', message: "Import through '@/', not upwards by '../'." };
const toasts = {
  regex: '^react-hot-toast',
  message: "Import toast from '@/ui/toast': the packages' own toaster injects a style element.",
};
const clerk = { regex: '^@clerk/', message: 'Only src/auth/clerk knows Clerk.' };
const above = (layer) => {
  const higher = layers.slice(layers.indexOf(layer) + 1);
  return {
    regex: `^@/(${higher.join('|')})/`,
    message: `${layer} imports nothing from ${higher.join(', ')}.`,
  };
};
const operatorOnly = {
  regex: '^(formik|yup|@tanstack/|react-router|@/ui/data-table|@/api/form-errors)',
  message: 'The public status page stays small: no form library, tables or router.',
};

const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

const layerRules = layers.slice(0, -1).map((layer) => ({
  files: [`src/${layer}/**`],
  rules: restrict(upwards, toasts, clerk, above(layer)),
}));

const otherFolders = (layer, folder) => ({
  regex: `^@/${layer}/(?!${folder}/)`,
  message: `The folders of ${layer} do not import from each other.`,
});

const folderRules = ['shared-features', 'features'].flatMap((layer) =>
  readdirSync(new URL(`./src/${layer}`, import.meta.url)).map((folder) => ({
    files: [`src/${layer}/${folder}/**`],
    rules: restrict(
      upwards,
      toasts,
      clerk,
      above(layer),
      otherFolders(layer, folder),
      ...(folder === 'status-page' ? [operatorOnly] : []),
    ),
  })),
);

// Loaded when it is opened: the build's guard sees to it that the page does not load it before.
const subscribeRules = {
  files: ['src/features/status-page/subscribe/**'],
  rules: restrict(
    upwards,
    toasts,
    clerk,
    above('features'),
    otherFolders('features', 'status-page'),
  ),
};

export default defineConfig(
  { ignores: ['dist', 'coverage', 'test-results', 'playwright-report', 'src/api/schema.gen.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.node.json'] },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "[accessibility='private'][kind!='constructor']",
          message:
            'Use #private: the build shortens such names, and not those of `private` members.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended, jsxA11y.flatConfigs.strict],
    languageOptions: { globals: globals.browser },
    rules: {
      'no-console': ['error', { allow: ['error'] }],
      ...restrict(upwards, toasts, clerk, above('shared-features')),
    },
  },
  ...layerRules,
  ...folderRules,
  subscribeRules,
  { files: ['src/app/**'], rules: restrict(upwards, toasts, clerk) },
  { files: ['src/auth/clerk/**'], rules: restrict(upwards, toasts, above('auth')) },
  {
    files: ['src/ui/toast.ts', 'src/ui/toaster.tsx'],
    rules: restrict(upwards, clerk, above('ui')),
  },
  {
    files: ['e2e/**'],
    // Playwright reads from the pattern which fixtures a fixture needs. An empty pattern
    // means none.
    rules: { 'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }] },
  },
  { files: ['public/**/*.js'], languageOptions: { globals: globals.browser } },
  {
    files: ['build/embed-*.js', 'build/history-live.js', 'build/first-choice.js'],
    languageOptions: {
      globals: { ...globals.browser, followEvents: 'readonly', MOON: 'readonly' },
    },
  },
  {
    files: ['build/follow-events.js'],
    languageOptions: { globals: { ...globals.browser, EVENTS: 'readonly' } },
    // The build puts the scripts that call it behind it.
    rules: { 'no-unused-vars': ['error', { varsIgnorePattern: '^followEvents$' }] },
  },
  { files: ['*.config.js'], languageOptions: { globals: globals.node } },
  prettier,
);
