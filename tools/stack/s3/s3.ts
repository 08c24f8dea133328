import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Engine,
  enginesDirectory,
  filesOf,
  javaProgram,
  launchEngine,
  stopRecorded,
} from '#tooling/stack';

export type S3Options = {
  readonly directory: string;
  readonly port: number;
  readonly credentials: { readonly id: string; readonly secret: string };
  readonly bucket: string;
};

export const s3Jars = path.join(enginesDirectory, 's3', 'jars');

const jvmOptions = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'] as const;

/** S3Proxy with one bucket, for tests. It checks signatures. Objects are files of a folder; their names are the keys. */
export async function startS3({ directory, port, credentials, bucket }: S3Options): Promise<Engine> {
  const name = 's3';
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  const buckets = path.join(files.data, 'buckets');
  await mkdir(path.join(buckets, bucket), { recursive: true });
  const address = `http://127.0.0.1:${port}`;
  const settingsFile = path.join(files.data, 's3.properties');
  const settings = {
    's3proxy.endpoint': address,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': credentials.id,
    's3proxy.credential': credentials.secret,
    'jclouds.provider': 'filesystem-nio2',
    'jclouds.filesystem.basedir': buckets,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(settingsFile, lines.join(''), { mode: 0o600 });
  return launchEngine({
    name,
    title: 'S3Proxy',
    address,
    directory,
    command: javaProgram,
    args: [
      ...jvmOptions,
      '-cp',
      path.join(s3Jars, '*'),
      'org.gaul.s3proxy.Main',
      '--properties',
      settingsFile,
    ],
    options: { cwd: files.data },
    mark: settingsFile,
    isReady: () => rejectsStrangers(address),
    stopSignal: 'SIGTERM',
  });
}

async function rejectsStrangers(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(2_000),
    });
    return answer.status === 403;
  } catch {
    return false;
  }
}
