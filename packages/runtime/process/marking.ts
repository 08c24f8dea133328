import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 mark in one step, for a process through which bodies pass. These lie outside of its heap, and their turnover makes it
 * mark a small heap ten times a second, in steps that slow down everything in between: half of the CPU of ingest. In one step
 * it marks rarely, and briefly, because little survives. To be called before anything else; costs memory where much does.
 */
export function markInOneStep(): void {
  setFlagsFromString('--no-incremental-marking');
}
