import { CHANGE_REQUESTS } from './tables/change-requests.ts';
import { CODE_REFERENCES } from './tables/code-references.ts';
import type { CopiedTable } from './copied-table.ts';
import { EVENTS } from './tables/events.ts';
import { FEATURES } from './tables/features.ts';
import { INSTANCES } from './tables/instances.ts';
import { PAST_CONFIGURATIONS } from './tables/past-configurations.ts';
import { ENVIRONMENTS, PROJECTS } from './tables/projects-and-environments.ts';

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
