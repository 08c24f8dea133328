import path from 'node:path';
import { type Report, downloadJars, installOnceLocked } from '#tooling/stack';
import { manifest } from '../manifests.ts';
import { s3Jars } from './s3.ts';

/** Installs S3Proxy. Only a test needs it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareS3(report: Report = console.log): Promise<void> {
  const s3 = {
    what: 'S3Proxy from Maven Central (26 MB)',
    mark: path.join(s3Jars, '.prepared'),
    files: [manifest('s3/pom.xml')],
    install: () => downloadJars(manifest('s3'), s3Jars),
  };
  await installOnceLocked('s3', s3, report);
}
