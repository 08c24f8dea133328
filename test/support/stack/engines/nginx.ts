import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownDirectory } from './own-engines.ts';
import { eventually } from '../../eventually.ts';
import { untilEndOfFile } from '../../left-behind.ts';

/** By default a package has them in folders that only its installation makes. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');

/** Runs an nginx with this configuration. Resolves when `url` answers. */
export async function runNginx(program: string, config: string, url: string): Promise<void> {
  const directory = await ownDirectory();
  const file = path.join(directory, 'nginx.conf');
  await writeFile(file, config.replace('http {', `http { ${TEMPORARY}`));
  const args = ['-p', directory, '-c', file, '-e', 'error.log', '-g', 'daemon off; pid nginx.pid;'];
  const child = spawn(program, args, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  untilEndOfFile({
    async dispose() {
      child.kill('SIGQUIT');
      await ended;
    },
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  }, Boolean);
}
