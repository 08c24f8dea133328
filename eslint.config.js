import tseslint from 'typescript-eslint';

/**
 * What the rules with types miss: a handler that throws in a statement `x.catch(handler)`, and promises derived from another, whose
 * rejections nobody sees when the other is the one that is awaited.
 */
const DERIVED = '[callee.property.name=/^(then|catch|finally)$/]';
const promiseSyntax = [
  {
    selector: `:matches(ExpressionStatement, UnaryExpression) > CallExpression${DERIVED}`,
    message: 'The promise that this gives is dropped: await it, or hand the work to inBackground.',
  },
  {
    selector: `:matches(VariableDeclarator, AssignmentExpression, Property, PropertyDefinition) > CallExpression${DERIVED}`,
    message:
      'Nobody may be there when a derived promise rejects: write an async function, or await it at once.',
  },
  {
    selector: "CallExpression[callee.property.name='finally']",
    message: 'Write try/finally: it derives no promise.',
  },
  {
    selector:
      ":not(AwaitExpression) > CallExpression[callee.object.name='Promise'][callee.property.name=/^(race|any)$/]",
    message: 'Await a race where it is held: stored, it rejects when nobody listens.',
  },
];

export default tseslint.config(
  { ignores: ['**/node_modules/**', 'dist/**', '.local/**', 'docs/examples/**'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...promiseSyntax],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false, checkThenables: true }],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Components. A handler of the browser may be asynchronous, if it handles its own errors.
    files: ['services/console/**/*.tsx'],
    rules: {
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // Programs whose output is the terminal.
    files: ['services/cli/**/*.ts', 'infra/**/*.{ts,mjs}'],
    rules: { 'no-console': 'off' },
  },
  { files: ['**/*.js', '**/*.mjs', '**/*.cjs'], ...tseslint.configs.disableTypeChecked },
);
