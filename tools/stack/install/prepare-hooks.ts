import path from 'node:path';
import { downloadHooks, hooksDirectory } from './downloads.ts';
import { withLock } from './lock.ts';
import { type Report, announced, once, source } from './prepare.ts';
import { stampOf } from './stamp.ts';

export { hooksDirectory };

/** Installs an older version of the hooks of OpenFeature. Only tests need it. */
export async function prepareHooks(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(hooksDirectory, 'node_modules/.prepared'), {
    files: [source('hooks/package-lock.json')],
    texts: [],
  });
  await withLock(`${hooksDirectory}.lock`, () =>
    once(stamp, () => announced(report, 'older hooks of OpenFeature from npm (2 MB)', downloadHooks)),
  );
}
