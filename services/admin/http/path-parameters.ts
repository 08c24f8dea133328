import { MAX_ENVIRONMENT_LENGTH, MAX_NAME_LENGTH } from '#counting';
import { type JsonSchema, compileGuard } from '#schema';

const name = (description: string, maxLength = MAX_NAME_LENGTH) =>
  ({ type: 'string', minLength: 1, maxLength, format: 'name', description }) as const;
const id = (description: string) => ({ type: 'string', pattern: '^[1-9]\\d{0,9}$', description }) as const;

/** What stands in braces in a path, by name. */
const PATH_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  projectId: name('Id of a project.'),
  environment: name('Name of an environment.', MAX_ENVIRONMENT_LENGTH),
  featureName: name('Name of a feature.'),
  strategyName: name('Name of a strategy type.'),
  toggleName: { type: 'string', description: 'Name of a feature, which need not exist.' },
  id: id('Id of a change request.'),
  changeId: id('Id of a change.'),
  userId: id('Id of a user.'),
  tokenId: { type: 'string', format: 'uuid', description: 'Id of a token, not its secret.' },
};

export type PathParameter = { readonly name: string; readonly schema: JsonSchema };

/** The parameters in a path; fails for one that has no schema. */
export function pathParametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = PATH_PARAMETERS[name];
    if (schema === undefined) throw new Error(`The path parameter ${name} has no schema.`);
    return { name, schema };
  });
}

/** Whether the parameters of a path are as their schemas say; where they are not, the path leads to nothing. */
export function compilePath(path: string): (values: Readonly<Record<string, string>>) => boolean {
  const guards = pathParametersOf(path).map(({ name, schema }) => ({ name, isValid: compileGuard(schema) }));
  return (values) => guards.every(({ name, isValid }) => isValid(values[name]));
}
