import { type Judgement, fail, ok, warn } from '../../finding.ts';

/** Compares the migrations that were applied with those of this version. */
export function judgeMigrations(wanted: readonly string[], applied: readonly string[]): Judgement {
  const missing = wanted.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !wanted.includes(name));
  if (missing.length > 0)
    return fail(`These migrations are missing: ${missing.join(', ')}.`, 'Run flagmeter migrate.');
  if (unknown.length > 0)
    return warn(
      `These migrations come from another version: ${unknown.join(', ')}.`,
      'Run the same version of flagmeter everywhere.',
    );
  return ok(`All ${wanted.length} migrations are applied.`);
}
