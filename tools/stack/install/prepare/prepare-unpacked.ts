import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Report, StackError, enginesDirectory, findProgram, runProgram, withLock } from '#tooling/stack';

/** The path of an nginx for the test of its example. Unpacks it with apt, for which nobody needs to be root; throws if there is none. */
export function prepareNginx(report: Report = console.log): Promise<string> {
  return prepareUnpacked('nginx', report);
}

/** The same for PgBouncer. */
export function preparePgBouncer(report: Report = console.log): Promise<string> {
  return prepareUnpacked('pgbouncer', report);
}

/** Where the libraries of an unpacked program are, for LD_LIBRARY_PATH. */
export function librariesOf(program: string): string {
  const root = path.resolve(path.dirname(program), '../..');
  return ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu']
    .map((folder) => path.join(root, folder))
    .join(':');
}

/** The package has the name of the program. */
async function prepareUnpacked(program: string, report: Report): Promise<string> {
  const directory = path.join(enginesDirectory, program);
  const find = async (): Promise<string | undefined> =>
    (await findProgram(program)) ?? (await findProgram(path.join(directory, 'usr/sbin', program)));
  const found = (await find()) ?? (await unpack(program, { directory, find, report }));
  if (found !== undefined) return found;
  throw new StackError('not-installed', `${program} is missing: apt-get install ${program}`);
}

type Unpacking = {
  readonly directory: string;
  readonly find: () => Promise<string | undefined>;
  readonly report: Report;
};

/** With the libraries that the machine lacks. Only unpacked, because installing the package may start a server. */
async function unpack(program: string, { directory, find, report }: Unpacking): Promise<string | undefined> {
  if ((await findProgram('apt-get')) === undefined) return undefined;
  for (const folder of ['lists/partial', 'archives/partial'])
    await mkdir(path.join(directory, folder), { recursive: true });
  return withLock(`${directory}.lock`, async () => {
    const already = await find();
    if (already !== undefined) return already;
    report(`unpacking ${program} with apt-get`);
    await runProgram('/bin/sh', {
      args: ['-c', UNPACK, 'sh', program],
      timeoutMs: 5 * 60_000,
      cwd: directory,
    });
    return find();
  });
}

/** With lists of packages and a cache of its own, it changes nothing of the machine. */
const UNPACK = `
apt() {
  apt-get -q -y -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD" -o Dir::Cache::archives="$PWD/archives" \\
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
apt update
apt install --download-only --no-install-recommends "$1" || exit
for package in archives/*.deb; do dpkg -x "$package" . || exit; done
rm -r archives lists`;
