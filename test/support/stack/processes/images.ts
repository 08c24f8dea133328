import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const BUILD_MS = 40 * 60_000;

/** An image whose files are mounted, and what it says about its program. */
export type Image = {
  readonly tag: string;
  readonly root: string;
  readonly user: string;
  readonly directory: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
};

/** Why images cannot be built and mounted here. */
export function whyNoImages(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can mount them';
  if (works('docker', 'info') || works('podman', '--version'))
    return 'docker or podman builds them, and the stories of compose run them';
  const bootstrap = process.env['NODE_IMAGE'] === undefined ? ['debootstrap'] : [];
  const missing = ['buildah', 'unshare', ...bootstrap].filter((program) => !works(program, '--version'));
  return missing.length === 0 ? undefined : `${missing.join(' and ')} is missing`;
}

/** Builds an image from this checkout, as `make image` does, and mounts it. */
export async function buildImage(tag: string, file: string, ...options: readonly string[]): Promise<Image> {
  await run('tools/run/image.sh', tag, file, ...options);
  const container = await run('buildah', 'from', '--pull-never', tag);
  const { OCIv1 } = JSON.parse(await run('buildah', 'inspect', '--type', 'image', tag)) as Inspection;
  const { User = '', WorkingDir = '/', Cmd = [], Env = [] } = OCIv1.config;
  return {
    tag,
    root: await run('buildah', 'mount', container),
    user: User,
    directory: WorkingDir,
    command: Cmd,
    env: Object.fromEntries(
      Env.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
    ),
    async remove() {
      await run('buildah', 'rm', container);
      await run('buildah', 'rmi', tag);
    },
  };
}

type Inspection = {
  readonly OCIv1: {
    readonly config: {
      readonly User?: string;
      readonly WorkingDir?: string;
      readonly Cmd?: readonly string[];
      readonly Env?: readonly string[];
    };
  };
};

/** The words that run a command in an image. Its files cannot be changed with `ro`. */
export function inImage(image: Image, mode: 'ro' | 'rw', command: readonly string[]): [string, ...string[]] {
  const script = path.resolve('test/fixtures/in-image.sh');
  const { root, user, directory } = image;
  return ['unshare', '--mount', 'sh', script, mode, root, user, directory, ...command];
}

/**
 * NODE_IMAGE, or a base image like the official one of Node, of packages of Debian and of the Node that runs this. It has the certificates of this
 * machine, by which its registries may be reached.
 */
export async function nodeImage(tag: string): Promise<string> {
  const given = process.env['NODE_IMAGE'];
  if (given !== undefined) return given;
  const container = await run('buildah', 'from', 'scratch');
  try {
    await fill(await run('buildah', 'mount', container));
    if (certificates !== undefined) {
      const names = ['NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'PIP_CERT', 'SSL_CERT_FILE'];
      const variables = names.flatMap((name) => ['--env', `${name}=${CERTIFICATES}`]);
      await run('buildah', 'config', ...variables, container);
    }
    await run('buildah', 'commit', '--quiet', container, tag);
  } finally {
    await run('buildah', 'rm', container);
  }
  return tag;
}

/** Unless it was given. */
export async function removeNodeImage(tag: string): Promise<void> {
  if (tag !== process.env['NODE_IMAGE']) await run('buildah', 'rmi', tag);
}

async function fill(root: string): Promise<void> {
  await run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root);
  const installed = path.join(root, 'usr/local');
  await copyFile(process.execPath, path.join(installed, 'bin/node'));
  await mkdir(path.join(installed, 'lib/node_modules'));
  const npm = path.resolve(await realpath(await run('sh', '-c', 'command -v npm')), '../..');
  await run('cp', '-rL', npm, path.join(installed, 'lib/node_modules'));
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(installed, 'bin', name));
  await run('chroot', root, 'useradd', '--create-home', '--uid', '1000', 'node');
  if (certificates !== undefined) await copyFile(certificates, path.join(root, CERTIFICATES));
}

const certificates = process.env['NODE_EXTRA_CA_CERTS'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

function works(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const limits = { timeout: BUILD_MS, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(program, args, limits)).stdout.trim();
}
