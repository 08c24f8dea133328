import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8's garbage collector mark in one step, for processes that receive many bodies. Bodies lie outside V8's heap. Their
 * turnover makes V8 mark a small heap ten times a second, in steps that slow down the code between them: half of the CPU of
 * ingest. In one step V8 marks rarely and briefly, because little survives. Call it before anything else. It costs memory in
 * processes where much survives.
 */
export function markInOneStep(): void {
  setFlagsFromString('--no-incremental-marking');
}
