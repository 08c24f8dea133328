import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8's garbage collector mark the heap rarely and in one step, for processes that receive many bodies. Bodies lie outside
 * V8's heap. Their turnover makes V8 mark a small heap ten times a second, in steps that slow down the code between them: half of
 * the CPU of ingest. In one step V8 marks less often, because little survives. Each time, all requests wait for 20 to 40 ms. By
 * default V8 marks when half as much as survived is new, every few seconds. Now it waits until the heap is five times what
 * survived. Call it before anything else. It costs memory in processes where much survives.
 */
export function markRarely(): void {
  setFlagsFromString('--no-incremental-marking');
  setFlagsFromString('--heap-growing-percent=400');
}
