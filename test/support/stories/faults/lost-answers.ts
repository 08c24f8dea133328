import { readFailedAttempts } from './broken-view.ts';
import { eventually } from '../../eventually.ts';
import type { Scene } from '../scene.ts';
import type { TcpProxy } from '../../stack/proxies/tcp-proxy.ts';

/** Loses the answer to an INSERT of the worker in a proxy, and waits until the block is stored. */
export async function loseAnInsertAnswer(scene: Scene, wire: TcpProxy): Promise<void> {
  const failures = await readFailedAttempts(scene.cast.worker, 'insert');
  wire.swallowAnswers();
  await wire.swallowed();
  await wire.cut();
  await eventually(
    () => readFailedAttempts(scene.cast.worker, 'insert'),
    (now) => now > failures,
  );
  await wire.mend();
  await scene.counted();
}
