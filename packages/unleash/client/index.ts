/** Our own requests to Unleash's HTTP API. */
export * from './catalogue/change-feature.ts';
export * from './catalogue/configuration.ts';
export * from './catalogue/event-uid.ts';
export * from './catalogue/export-file.ts';
export {
  APPLICATIONS_PAGE,
  ARCHIVED_PAGE,
  type CatalogueReader,
  createCatalogueReader,
} from './catalogue/read-catalogue.ts';
export type {
  ListedFeature,
  UnleashApplication,
  UnleashEnvironment,
  UnleashEvent,
  UnleashFeature,
  UnleashProject,
  UnleashStrategy,
} from './catalogue/shapes.ts';
export * from './catalogue/tags.ts';
export * from './check-token.ts';
export * from './bodies.ts';
export * from './client.ts';
export * from './list-tokens.ts';
export * from './push-batch.ts';
export * from './read-usage.ts';
export * from './unleash-error.ts';
export * from './validate-tokens.ts';
