import path from 'node:path';
import { type Report, enginesDirectory, installLocked, installOnceLocked } from '#tooling/stack';
import { manifest } from '../../manifests.ts';

/** The install folder of older hooks of OpenFeature. */
export const hooksDirectory = path.join(enginesDirectory, 'hooks');

/** Installs an older version of the hooks of OpenFeature. Only tests need it. */
export async function prepareHooks(report: Report = console.log): Promise<void> {
  const hooks = {
    what: 'older hooks of OpenFeature from npm (2 MB)',
    mark: path.join(hooksDirectory, 'node_modules/.prepared'),
    files: [manifest('hooks/package-lock.json')],
    install: () => installLocked(manifest('hooks'), hooksDirectory),
  };
  await installOnceLocked('hooks', hooks, report);
}
