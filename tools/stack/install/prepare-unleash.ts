import path from 'node:path';
import { enginesDirectory } from '../layout.ts';
import { downloadUnleash, installedUnleash } from './downloads.ts';
import { withLock } from './lock.ts';
import { type Report, announced, once, source } from './prepare.ts';
import { stampOf } from './stamp.ts';

/** Installs a real Unleash and the Node that it needs. Only tests need them, so `prepareEngines` leaves them out. */
export async function prepareUnleash(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(installedUnleash, 'node_modules/.prepared'), {
    files: [source('unleash/package-lock.json')],
    texts: [`${process.platform}-${process.arch}`],
  });
  await withLock(path.join(enginesDirectory, 'unleash.lock'), () =>
    once(stamp, () => announced(report, 'Unleash from npm (383 MB unpacked)', downloadUnleash)),
  );
}
