/** What a scan reads and pushes, for the command line. */
export { MAX_PATH_LENGTH, MAX_REFERENCES, type Push, type SearchedName } from './schema.ts';
