import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';

/** The variables for flagmeter that programs get from a shell which has sourced this file. */
export async function sourcedVariables(file: string): Promise<Record<string, string>> {
  const script = 'source "$0"; env';
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script, file], {
    env: inheritedEnv(),
  });
  const variables = stdout.matchAll(/^((?:KAFKA|CLICKHOUSE|DATABASE|REDIS)_\w+)=(.*)$/gm);
  return Object.fromEntries([...variables].map(([, name = '', value = '']) => [name, value]));
}
