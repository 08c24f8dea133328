import type { JsonSchema } from '#schema';
import type { Operation } from '../operation.ts';
import { pathParametersOf } from '../path-parameters.ts';
import type { Documented, DocumentedParameter } from './documented.ts';

/** Errors that every operation of the admin API may return. */
const COMMON_PROBLEMS = [400, 401, 403, 429, 500, 503] as const;
const BODY_PROBLEMS = [413, 415] as const;

/** An operation of the admin API as the document shows it. */
export function documentAdmin(operation: Operation): Documented {
  const { permission, body, problems = [] } = operation;
  return {
    ...operation,
    description: `Permission: ${permission}.`,
    isConditional: operation.method === 'get',
    parameters: parametersOf(operation),
    problems: [...COMMON_PROBLEMS, ...(body === undefined ? [] : BODY_PROBLEMS), ...problems],
  };
}

function parametersOf({ path, query }: Operation): DocumentedParameter[] {
  const inPath = pathParametersOf(path).map(({ name, schema }) => ({
    ...apart(schema),
    name,
    in: 'path' as const,
    required: true,
  }));
  const inQuery = Object.entries(query?.schema.properties ?? {}).map(([name, schema]) => ({
    ...apart(schema),
    name,
    in: 'query' as const,
    required: false,
    allowEmptyValue: true,
  }));
  return [...inPath, ...inQuery];
}

/** Splits off the description, because it belongs to the parameter. */
function apart({ description, ...schema }: JsonSchema) {
  return { description, schema };
}
