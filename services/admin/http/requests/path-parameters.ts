import { MAX_ENVIRONMENT_LENGTH, MAX_NAME_LENGTH, type JsonSchema, compileGuard } from '#base/schema';

const name = (description: string, maxLength = MAX_NAME_LENGTH) =>
  ({ type: 'string', minLength: 1, maxLength, format: 'name', description }) as const;
const id = (description: string) => ({ type: 'string', pattern: '^[1-9]\\d{0,9}$', description }) as const;

/** The schemas of the parameters in paths, by name. */
const PATH_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  projectId: name('Id of a project.'),
  environment: name('Name of an environment.', MAX_ENVIRONMENT_LENGTH),
  featureName: name('Name of a feature.'),
  metricName: name('Name of an impact metric.'),
  strategyName: name('Name of a strategy type.'),
  strategyId: { type: 'string', format: 'uuid', description: 'Id of a strategy of a feature.' },
  roleName: name('Name of a role.'),
  toggleName: { type: 'string', description: 'Name of a feature, which need not exist.' },
  id: id('Id of a change request.'),
  changeId: id('Id of a change.'),
  userId: id('Id of a user.'),
  notificationId: id('Id of a subscription.'),
  codeRepositoryId: id('Id of a branch of a repository.'),
  verdictId: id('Id of a recorded verdict.'),
  sessionId: { type: 'string', format: 'uuid', description: 'Id of a session, not its secret.' },
  tokenId: { type: 'string', format: 'uuid', description: 'Id of a token, not its secret.' },
};

export type PathParameter = { readonly name: string; readonly schema: JsonSchema };

/** Returns the parameters of a path; throws if one has no schema. */
export function pathParametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = PATH_PARAMETERS[name];
    if (schema === undefined) throw new Error(`The path parameter ${name} has no schema.`);
    return { name, schema };
  });
}

/** Returns a check whether the parameters of a path match their schemas. If they do not, the answer is 404. */
export function compilePath(path: string): (values: Readonly<Record<string, string>>) => boolean {
  const guards = pathParametersOf(path).map(({ name, schema }) => ({ name, isValid: compileGuard(schema) }));
  return (values) => guards.every(({ name, isValid }) => isValid(values[name]));
}
