/** Whether a write may change something that has this version (the If-Match of the request). */
export type VersionCheck = (version: number) => boolean;
