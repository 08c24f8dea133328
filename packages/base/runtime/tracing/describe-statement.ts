import type { SpanOptions } from './span.ts';

const MAX_TEXT = 500;

/**
 * The span of a statement of a service. It shows the text, which is safe because values are always parameters, and these are
 * left out.
 */
export function describeStatement(
  system: 'clickhouse' | 'postgresql',
  statement: string,
): SpanOptions & { readonly name: string } {
  const text = statement.replaceAll(/\s+/g, ' ').trim();
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement';
  return {
    name: `${operation} ${system}`,
    kind: 'client',
    attributes: {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.text': text.slice(0, MAX_TEXT),
    },
  };
}
