import { DEFECTS_OF_BOUNDS } from './bounds.ts';
import type { Defect } from './defect.ts';
import { DEFECTS_OF_EXPORTERS } from './exporters.ts';
import { DEFECTS_OF_INGEST } from './ingest.ts';
import { DEFECTS_OF_LOG } from './log.ts';
import { DEFECTS_OF_MIRROR } from './mirror.ts';
import { DEFECTS_OF_SAMPLES } from './samples.ts';
import { DEFECTS_OF_WORKER } from './worker.ts';

/** Every defect that the simulation must find. */
export const DEFECTS: readonly Defect[] = [
  ...DEFECTS_OF_WORKER,
  ...DEFECTS_OF_INGEST,
  ...DEFECTS_OF_MIRROR,
  ...DEFECTS_OF_SAMPLES,
  ...DEFECTS_OF_LOG,
  ...DEFECTS_OF_EXPORTERS,
  ...DEFECTS_OF_BOUNDS,
];
