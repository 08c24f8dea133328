/**
 * What the rules with types miss: a handler that throws in a statement `x.catch(handler)`, and promises derived from another, whose
 * rejections no one sees when the other is the one that is awaited.
 */
const DERIVED = '[callee.property.name=/^(then|catch|finally)$/]';

/** Messages by the syntax that they forbid. */
const MESSAGES = {
  [`:matches(ExpressionStatement, UnaryExpression) > CallExpression${DERIVED}`]:
    'The promise that this gives is dropped: await it, or hand the work to inBackground.',
  [`:matches(VariableDeclarator, AssignmentExpression, Property, PropertyDefinition) > CallExpression${DERIVED}`]:
    'A derived promise may reject without a handler: write an async function, or await it at once.',
  "CallExpression[callee.property.name='finally']": 'Write try/finally: it derives no promise.',
  ":not(AwaitExpression) > CallExpression[callee.object.name='Promise'][callee.property.name=/^(race|any)$/]":
    'Await a race where it is held: stored, it may reject without a handler.',
};

/** A plugin of oxlint with one rule. */
export default {
  meta: { name: 'promises' },
  rules: {
    'no-dropped': {
      create(context) {
        const visitors = Object.entries(MESSAGES).map(([syntax, message]) => [
          syntax,
          (node) => context.report({ node, message }),
        ]);
        return Object.fromEntries(visitors);
      },
    },
  },
};
