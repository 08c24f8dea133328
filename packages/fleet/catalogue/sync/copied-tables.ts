import { CHANGE_REQUESTS } from './change-requests.ts';
import { CODE_REFERENCES } from './code-references.ts';
import type { CopiedTable } from './copied-table.ts';
import { EVENTS } from './events.ts';
import { FEATURES } from './features.ts';
import { INSTANCES } from './instances.ts';
import { PAST_CONFIGURATIONS } from './past-configurations.ts';
import { ENVIRONMENTS, PROJECTS } from './projects-and-environments.ts';

/** All tables of Postgres that ClickHouse has a copy of. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  FEATURES,
  PAST_CONFIGURATIONS,
  INSTANCES,
  PROJECTS,
  ENVIRONMENTS,
  CHANGE_REQUESTS,
  CODE_REFERENCES,
  EVENTS,
];
