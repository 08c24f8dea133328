import type { Annex, AnnexParts } from '../annex.ts';
import { createOtlpRoutes } from './otlp-routes.ts';

/** The paths of OTLP/HTTP. */
export function openOpenTelemetry({ config, metrics }: AnnexParts): Annex {
  return { routes: (receive) => createOtlpRoutes(receive, { ...config.ingest.otlp, metrics }) };
}
