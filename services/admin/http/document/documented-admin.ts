import type { JsonSchema } from '#base/schema';
import { whereOf } from '../access/scope.ts';
import type { Operation } from '../operation.ts';
import { pathParametersOf } from '../requests/path-parameters.ts';
import type { Documented, DocumentedParameter } from './documented.ts';

/** Errors that every operation of the admin API may return. */
const COMMON_PROBLEMS = [400, 401, 403, 429, 500, 503] as const;
const BODY_PROBLEMS = [413, 415] as const;

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string', examples: ['"7"'] },
} as const;

const OUTDATED =
  'ETag of an earlier answer. If somebody else has changed the resource since, nothing happens: 412.';

/** The parameter and the errors of an operation that compares If-Match. */
const CONDITIONS = {
  optional: { parameters: [{ ...IF_MATCH, description: OUTDATED }], problems: [412] },
  needed: {
    parameters: [
      { ...IF_MATCH, description: `${OUTDATED} Without it, changes that need the version read are 428.` },
    ],
    problems: [412, 428],
  },
} as const;

const NO_CONDITION = { parameters: [], problems: [] } as const;

const ETAG = {
  description: 'Version of the resource, for If-Match. Absent if Unleash owns the resource and changed it.',
  schema: { type: 'string', examples: ['"7"'] },
} as const;

/** An operation of the admin API as the document shows it. */
export function documentAdmin(operation: Operation): Documented {
  const { permission, scope, body, answer, isVersioned = false, ifMatch, problems = [] } = operation;
  const condition = ifMatch === undefined ? NO_CONDITION : CONDITIONS[ifMatch];
  return {
    ...operation,
    description: `Permission: ${permission}, ${whereOf(scope)}.`,
    isConditional: operation.method === 'get',
    parameters: [...parametersOf(operation), ...condition.parameters],
    answer: isVersioned ? { ...answer, headers: { ETag: ETAG } } : answer,
    problems: [
      ...COMMON_PROBLEMS,
      ...(body === undefined ? [] : BODY_PROBLEMS),
      ...condition.problems,
      ...problems,
    ],
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
