import type { Strategy } from '../../../types.ts';

type Parameter = Strategy['parameters'][number];
export type NewParameter = Pick<Parameter, 'name' | 'type' | 'description' | 'required'>;

/** One parameter a line: "countries: list, required". */
export function parameterLines(parameters: readonly Parameter[]): string {
  return parameters
    .map(({ name, type, required }) => `${name}: ${type}${required ? ', required' : ''}`)
    .join('\n');
}

/**
 * The parameters of such lines. The type is string if left out; the server rejects unknown types. A parameter that was there
 * before keeps its description.
 */
export function parseParameterLines(text: string, before: readonly Parameter[] = []): NewParameter[] {
  return text
    .split('\n')
    .map((line) => /^\s*(.*?)\s*(?::\s*([^:,]*?)\s*(,\s*required\s*)?)?$/.exec(line))
    .flatMap((found) => {
      const [, name = '', type = '', required] = found ?? [];
      if (name === '') return [];
      const description = before.find((parameter) => parameter.name === name)?.description ?? '';
      return [{ name, type: type === '' ? 'string' : type, description, required: required !== undefined }];
    });
}
