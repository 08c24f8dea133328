import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { enginesDirectory } from '../layout.ts';
import { StackError } from '../stack-error.ts';
import { withLock } from './lock.ts';
import { mayUseApt } from './missing-programs.ts';
import type { Report } from './prepare.ts';
import { findProgram, runProgram } from './programs.ts';

const DIRECTORY = path.join(enginesDirectory, 'nginx');
/** Only unpacked, because installing the package may start a server. */
const UNPACK = 'apt-get -q update; apt-get -q download nginx && dpkg -x nginx_*.deb . && rm nginx_*.deb';

/** The path of an nginx for the test of its example. Unpacks it with apt if we are root; throws if there is none. */
export async function prepareNginx(report: Report = console.log): Promise<string> {
  const found = (await findNginx()) ?? (await unpackNginx(report));
  if (found !== undefined) return found;
  throw new StackError('not-installed', 'nginx is missing: apt-get install nginx');
}

async function unpackNginx(report: Report): Promise<string | undefined> {
  if (!(await mayUseApt())) return undefined;
  await mkdir(DIRECTORY, { recursive: true });
  return withLock(`${DIRECTORY}.lock`, async () => {
    const already = await findNginx();
    if (already !== undefined) return already;
    report('unpacking nginx with apt-get');
    await runProgram('/bin/sh', { args: ['-c', UNPACK], timeoutMs: 5 * 60_000, cwd: DIRECTORY });
    return findNginx();
  });
}

async function findNginx(): Promise<string | undefined> {
  return (await findProgram('nginx')) ?? (await findProgram(path.join(DIRECTORY, 'usr/sbin/nginx')));
}
