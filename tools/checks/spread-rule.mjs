const MESSAGE = 'Write the members without a spread: the formatter chooses the lines.';

/** A plugin of oxlint with one rule: no literal is spread into another one of its kind. */
export default {
  meta: { name: 'spreads' },
  rules: {
    'no-literal': {
      create(context) {
        const report = (node) => context.report({ node, message: MESSAGE });
        return {
          'ObjectExpression > SpreadElement > ObjectExpression': report,
          ':matches(ArrayExpression, CallExpression, NewExpression) > SpreadElement > ArrayExpression':
            report,
        };
      },
    },
  },
};
