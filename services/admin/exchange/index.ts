/** Exporting and importing what an instance holds, for the commands of the CLI. */
export { type Exchange, exchangeSchema } from './schema.ts';
export { exportDocument } from './store/export.ts';
export { type ImportCounts, countImport, importDocument } from './store/import.ts';
