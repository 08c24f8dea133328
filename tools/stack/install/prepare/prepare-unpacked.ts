import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  LONGEST_INSTALLATION_MS,
  type Report,
  StackError,
  enginesDirectory,
  findProgram,
  runProgram,
  withLock,
} from '#tooling/stack';

/** Programs of Debian packages that have the same names, and where they are in these. */
const PLACES = {
  'chromium-headless-shell': 'usr/lib/chromium/chromium-headless-shell',
  nginx: 'usr/sbin/nginx',
  pgbouncer: 'usr/sbin/pgbouncer',
} as const;
type Program = keyof typeof PLACES;

/** The path of a program for tests. Unpacks it with apt, for which nobody needs to be root; throws if the machine has neither. */
export async function prepareUnpacked(program: Program, report: Report = console.log): Promise<string> {
  const directory = path.join(enginesDirectory, program);
  const find = async (): Promise<string | undefined> =>
    (await findProgram(program)) ?? (await findProgram(path.join(directory, program)));
  const found = await find();
  if (found !== undefined) return found;
  const prepare = async (): Promise<string> => {
    const already = await find();
    if (already !== undefined) return already;
    if ((await findProgram('apt-get')) === undefined)
      throw new StackError('not-installed', `${program} is missing, and apt-get, which would unpack it.`);
    report(`unpacking ${program} with apt-get`);
    await unpack(program, directory);
    return writeStarter(program, directory);
  };
  return withLock(`${directory}.lock`, prepare, LONGEST_INSTALLATION_MS);
}

/** The same for tests that such a machine leaves out. It says so, and they get undefined. */
export async function prepareUnlessImpossible(program: Program, tests: string): Promise<string | undefined> {
  try {
    return await prepareUnpacked(program);
  } catch (error) {
    if (!(error instanceof StackError) || error.code !== 'not-installed') throw error;
    process.stderr.write(`Left out: ${tests}. ${error.message}\n`);
    return undefined;
  }
}

/** With the libraries that the machine lacks. Only unpacked, because installing the package may start a server. */
async function unpack(program: Program, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'archives/partial'])
    await mkdir(path.join(directory, folder), { recursive: true });
  try {
    await runProgram('/bin/sh', {
      args: ['-c', UNPACK, 'sh', program],
      timeoutMs: UNPACK_MS,
      cwd: directory,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').at(-1) : String(error);
    const sentence = `${program} is missing, and apt-get gave none (${reason}): apt-get install ${program}`;
    throw new StackError('command-failed', sentence, { cause: error });
  }
}

const UNPACK_MS = 5 * 60_000;

/** With lists of packages and a cache of its own, it changes nothing of the machine. Images of Docker tell apt to keep no `.bin`. */
const UNPACK = `
apt() {
  apt-get -q -y -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD" -o Dir::Cache::archives="$PWD/archives" \\
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
apt update
apt install --download-only --no-install-recommends "$1" || exit
for package in archives/*.deb; do dpkg -x "$package" . || exit; done
rm -rf archives lists *.bin`;

/** A script that lets the program find its libraries, and its fonts if the machine has none. Its name appears only when it can run. */
async function writeStarter(program: Program, directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true });
  const folders = new Set(files.filter((file) => /\.so(\.|$)/.test(file)).map((file) => path.dirname(file)));
  const script = `#!/bin/sh
here=$(dirname "$(realpath "$0")")
export LD_LIBRARY_PATH="${[...folders].map((folder) => `$here/${folder}`).join(':')}"
[ ! -d "$here/usr/share/fonts" ] || export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/${PLACES[program]}" "$@"
`;
  await writeFile(path.join(directory, 'fonts.conf'), FONTS);
  const starter = path.join(directory, program);
  await writeFile(`${starter}.new`, script, { mode: 0o755 });
  await rename(`${starter}.new`, starter);
  return starter;
}

const FONTS = '<fontconfig><dir prefix="relative">usr/share/fonts</dir></fontconfig>\n';
