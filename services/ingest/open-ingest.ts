import { type Ingest, createIngest } from './ingest.ts';
import type { IngestOptions } from './ingest-options.ts';
import { openOpenTelemetry } from './opentelemetry/index.ts';
import { openReports } from './reports/index.ts';
import { openUnleash } from './unleash/index.ts';

/** Ingest with all that it serves: also bodies of OpenTelemetry, reports of relays and, with UNLEASH_URL, the API of Unleash. */
export function openIngest(options: IngestOptions): Ingest {
  return createIngest(options, (parts) => {
    const { annex, alongside } = openReports(parts);
    return [openOpenTelemetry(parts), annex, openUnleash(parts, alongside)];
  });
}
