import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects twice, because V8 frees the buffers of a collection in the background, and counts them until the next one. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc(); gc()');
}
