import path from 'node:path';
import { type Report, enginesDirectory, installLocked, installOnceLocked } from '#tooling/stack';
import { manifest } from '../../manifests.ts';

/** The install folder of older SDKs of Unleash and hooks of OpenFeature. */
export const olderSdks = path.join(enginesDirectory, 'older-sdks');

/** Installs older versions of Unleash's SDK for Node and of OpenFeature's hooks. Only tests need them. */
export async function prepareOlderSdks(report: Report = console.log): Promise<void> {
  const sdks = {
    what: 'older SDKs from npm (19 MB)',
    mark: path.join(olderSdks, 'node_modules/.prepared'),
    files: [manifest('older-sdks/package-lock.json')],
    install: () => installLocked(manifest('older-sdks'), olderSdks),
  };
  await installOnceLocked('older-sdks', sdks, report);
}
