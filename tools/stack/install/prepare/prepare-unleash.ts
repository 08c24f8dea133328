import path from 'node:path';
import { enginesDirectory } from '../../layout.ts';
import { PLATFORM, type Report, installOnceLocked } from '../install-once.ts';
import { installLocked } from '../npm.ts';

/** The install folder of Unleash and its Node. */
export const installedUnleash = path.join(enginesDirectory, 'unleash');

/** Installs a real Unleash and the Node that it needs. Only tests need them, so `prepareEngines` leaves them out. */
export async function prepareUnleash(report: Report = console.log): Promise<void> {
  const unleash = {
    what: 'Unleash from npm (383 MB unpacked)',
    mark: path.join(installedUnleash, 'node_modules/.prepared'),
    files: ['manifests/unleash/package-lock.json'],
    versions: [PLATFORM],
    install: () => installLocked('unleash', installedUnleash),
  };
  await installOnceLocked('unleash', unleash, report);
}
