import path from 'node:path';
import { downloadS3 } from '../install/downloads.ts';
import { withLock } from '../install/lock.ts';
import { missing } from '../install/missing-programs.ts';
import { type Report, announced, once, source } from '../install/prepare.ts';
import { findProgram } from '../install/programs.ts';
import { stampOf } from '../install/stamp.ts';
import { enginesDirectory } from '../layout.ts';
import { s3Jars } from './s3.ts';

/** Installs S3Proxy. Only a test needs it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareS3(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(s3Jars, '.prepared'), { files: [source('s3/pom.xml')], texts: [] });
  await withLock(path.join(enginesDirectory, 's3.lock'), () =>
    once(stamp, async () => {
      if ((await findProgram('mvn')) === undefined) throw missing('mvn');
      await announced(report, 'S3Proxy from Maven Central (26 MB)', downloadS3);
    }),
  );
}
