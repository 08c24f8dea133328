import path from 'node:path';
import { type Report, PLATFORM, enginesDirectory, installLocked, installOnceLocked } from '#tooling/stack';
import { manifest } from '../../manifests.ts';

/** The install folder of Unleash and its Node. */
export const installedUnleash = path.join(enginesDirectory, 'unleash');

/** Installs a real Unleash and the Node that it needs. Only tests need them, so `prepareEngines` leaves them out. */
export async function prepareUnleash(report: Report = console.log): Promise<void> {
  const unleash = {
    what: 'Unleash from npm (383 MB unpacked)',
    mark: path.join(installedUnleash, 'node_modules/.prepared'),
    files: [manifest('unleash/package-lock.json')],
    versions: [PLATFORM],
    install: () => installLocked(manifest('unleash'), installedUnleash),
  };
  await installOnceLocked('unleash', unleash, report);
}
