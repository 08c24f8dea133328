/** Export and import of an instance's data, for the commands of the CLI. */
export { convertFlagd, isFlagdFile } from './convert-flagd.ts';
export { convertGoFeatureFlag, isGoFeatureFlagFile } from './convert-go-feature-flag.ts';
export { type Conversion, convertUnleashExport } from './convert-unleash-export.ts';
export { type Exchange, exchangeSchema } from './schema.ts';
export { exportDocument } from './store/export.ts';
export { type ImportCounts, countImport, importDocument, insertDocument } from './store/import.ts';
