import { type Scan, statesOf } from '../scanned.ts';

/** For scripts. */
export function jsonOf(scan: Scan): string {
  const states = statesOf(scan);
  const { repository = null, branch = null, commit = null, names, unsearchable, files, leftOut } = scan;
  const places = scan.places.map(({ name, ...place }) => ({ name, state: states.get(name), ...place }));
  return JSON.stringify(
    { repository, branch, commit, names: names.length, unsearchable, files, leftOut, places },
    undefined,
    2,
  );
}
